// Package stands holds servers of ours that stand beside the service, each a
// process of its own that the same binary starts, so that its CPU time can be
// told apart:
//
//	bare FILE SNAPSHOTS   net/http and one handler that writes a file from memory
//	stack SNAPSHOTS       everything of the service around its smallest keyed endpoint
//	bleve SNAPSHOTS INDEX search over the same titles with bleve
//
// All open the catalog in the folder SNAPSHOTS, whether they use it or not: a
// process that holds as much as the service collects garbage as rarely.
//
// A stand says on standard output where it listens, then what else its user has
// to know, then an empty line. It ends when it is told to.
package stands

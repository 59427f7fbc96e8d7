// Package servers holds HTTP servers that are compared with the program. Each
// runs as a separate process, a subcommand of the benchmark's binary, so that
// its CPU time can be measured:
//
//	bare FILE SNAPSHOTS      net/http and a handler that writes a file from memory
//	stack SNAPSHOTS [LEVEL]  the product's chain of handlers, with keys in memory
//	bleve SNAPSHOTS INDEX    search over the same titles with bleve
//
// With a LEVEL, the answers of stack are compressed with the gzip of
// klauspost/compress instead of the product's own.
//
// All servers open the catalog in the folder SNAPSHOTS, used or not: a process
// with as much memory as the product collects garbage as rarely.
//
// A server prints its address, its keys if it has some, and an empty line.
package servers

// Package bleveindex is what one would build on bleve to find titles, set up
// for speed: one segment, merged when built and mapped when read, nothing kept
// of a title but its words, names of documents that are numbers.
//
// The same rules as the service's: all words must be found in one title, the
// last one as a beginning too; see [Index.Find].
package bleveindex

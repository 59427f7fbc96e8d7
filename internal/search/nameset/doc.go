// Package nameset has a set of names of the search index, in which names of frequent
// words are intersected. It is not safe for concurrent use.
package nameset

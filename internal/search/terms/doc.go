// Package terms has the tables of the search index: its words, sorted, so that those with
// a prefix are next to each other ([Table]), also those with a mark before them ([Marked])
// and by a hash ([Buckets]), the names that have each ([Postings]), sets of names ([NameSet]), and precomputed
// results ([Results]).
package terms

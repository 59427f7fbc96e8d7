// Package find measures search by title in the process, at two sizes and for
// five kinds of query, beside bleve and Xapian, and SQLite's FTS5 for
// information. Every engine gets the cheapest query that a kind needs with it;
// ours has one way for all kinds.
package find

// Package table reads a table in CSV whose first row names fields of the feed. It
// returns each further row as a line of the feed (doc/feed.md, "Tables").
//
//	NewReader: separator ─► header ─► columns
//	Next:      row ─► cells by the kind of their column ─► JSON object
//	Cell:      JSON value ─► cell that is read as this value
//
// The package knows the names of the fields and how their values are written in cells.
// It does not know the rules of the format: the reader of the feed checks the objects.
//
// It never guesses a number: base and current are digits, and price and fullPrice have one
// decimal mark, which their cells show or the caller gives. Every other text is refused.
package table

// Package move takes a database to another place: from one machine to many, and back.
//
//	Plan ─► does anybody serve from it? ─► open the new one ─► copy ─► what is left to do
//	              refused                   made if missing     all or nothing
//
// A copy shows one moment. The package refuses to copy while a process serves from the old
// database: later changes, and counts that the process has not stored yet, would be lost.
//
// Overrides are beside a database in a file, and inside one on a server. The package says
// how to take them along.
package move

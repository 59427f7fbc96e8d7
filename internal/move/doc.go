// Package move takes a database to another place: from one machine to many, and back.
//
//	Plan ─► does anybody serve from it? ─► open the new one ─► copy ─► what is left to do
//	              refused                   made if missing     all or nothing
//
// A copy is of one moment. Whoever serves from the old database meanwhile would change
// what nobody reads any more, and has counts that are not stored yet: so that is refused.
//
// Overrides are beside a database in a file, and inside one on a server. The package says
// how to take them along.
package move

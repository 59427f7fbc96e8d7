// Package visible measures how long a changed price takes from the database to
// a published snapshot that can be opened: in a builder that has followed the
// database, against one that starts empty.
package visible

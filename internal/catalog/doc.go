// Package catalog holds the values that every other package shares: listings,
// cards, regions, platforms, types, prices, their stored encoding, and the rule for
// a new line of a listing that is already stored: when it replaces the content.
//
//	feed, sweep ─► Listing ─► Supersede ─► Stored
//	listings ─► Entry ─► merge.Merge, merge.Compose ─► Card
//
// The package has no I/O, clocks, contexts or logging. The listing format, the
// databases and the wire live in other packages.
package catalog

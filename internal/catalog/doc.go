// Package catalog holds the values that every other package shares: listings,
// cards, regions, platforms, types, prices, their stored encoding, and the rule for
// a new line of a listing that is already stored: when it replaces the content.
//
//	feed, sweep ─► Listing ─► Supersede ─► Stored
//	listings ─► Entry ─► merge.Merge, merge.Compose ─► Card
//
// The package has no I/O, clocks, contexts or logging. The listing format, the
// databases and the wire live in other packages.
//
// # A new value of a price
//
// What a listing costs is in [Price]. A new value of it needs, in the order in which it
// reaches an answer:
//
//   - feed: a member (members.go), its rule in checkPrice, and its column in feed/table; the
//     connectors, if the stores show it.
//   - catalog: a place in Price.appendBinary, without which a line that changes only this
//     value repeats the stored one. An absent value appends nothing. Otherwise the hashes of all
//     stored prices change, and the next import of each counts as a new price.
//   - sqldb/listings: a column in the statements that read and write listings, and a
//     migration of each engine.
//   - index/internal/layout: a field of the row or extra record, and a higher Format.
//   - index/pack: the record in pricetable.go, its hash in revs.go, and in reprice.go the way
//     back from a packed record.
//   - index: the field of Row, in readRow.
//   - api/bulk: the field of the answer, see there.
//
// Search for DiscountEndsAt to find most of these places; a row calls it EndsAt.
package catalog

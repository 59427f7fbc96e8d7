// Package index reads snapshots: the cards and prices that the API serves.
//
//	two blobs ─► Open ─► Snapshot{Card, Row, Find, Lookup} ─► WithLows ─┐
//	                        rates, platform states ─────────────────────┴─► View ─► Live
//
// # The blobs
//
// Data that changes at different rates is in separate blobs: "catalog" has the
// cards in their final order, their texts, links and search index; "prices" has
// a packed row of 24 bytes for each card (or offer) and region; "lows", a blob for
// each region, has what past prices say about the cards whose price there has
// changed. A prices blob and a lows blob name the catalog that their numbers
// belong to; any other is refused. The manifest of a snapshot says which prices
// and lows belong together. Package index/pack writes all of them.
//
// A blob is one block without pointers. Opening it copies nothing, and the
// strings that cards and rows return are parts of it. [Card], [Row] and the
// lists are small values over numbers that Open has checked, so reading
// allocates nothing and cannot fail.
//
// # One view per request
//
// [Live] holds the newest [View]. A request takes it once and sees one state of
// cards, prices, rates and platforms. Time is an argument: a discount that ended
// since the build is over, see [Row.At].
//
// # What it refuses
//
// A blob with any wrong length, number or reference is refused by section name
// ([snapshot.DamageError]). The package does not know HTTP, the JSON of the
// API, manifests or files, and it reads no clock.
package index

// Package index packs cards and prices into snapshot files and reads them back
// for the API.
//
//	[]Entry, []Card ─► Build ─► Blobs{Catalog, Prices} ─► bucket ─► Open ─► Snapshot
//	                                manifest/<seq> ─► Follower ─► View{Snapshot, Rates, states} ─► Live
//
// # Two blobs
//
// What changes at different speed lies in two blobs, each named by its content:
// "catalog" has cards in their final order, their texts, what finds them and
// how they are linked; "prices" has a packed row of 24 bytes for each card (or
// offer) and region. A prices blob names the catalog that its row numbers
// belong to, and [Open] refuses any other.
//
// A blob is one block without pointers: opening it copies nothing, and the
// strings that cards and rows return lie inside it. [Card], [Row] and the lists
// are small values over numbers that Open has checked, so reading allocates
// nothing and cannot fail.
//
// # Prices again
//
// Most changes of a catalog are prices alone, and then the catalog blob stays
// what it is. [Pack] is [Build] for a builder that wants to go on: from what it
// remembers, and the prices blob that is published, [Packing.Reprice] writes the
// rows of the changed listings anew. A reader cannot tell the result from what
// Build would make of the same.
//
// # One view per request
//
// [Live] holds the newest [View]. A request takes it once and sees one state of
// cards, prices, rates and platforms; a [Follower] puts a newer one in its
// place, never an older one. Time enters only as an argument: a discount that
// ended since the build is over, see [Row.At].
//
// # What it refuses
//
// Cards without a listing in an active region are not in the index, and nothing
// links to them. A blob with any wrong length, number or reference is refused
// by section name ([snapshot.DamageError]). The package knows no HTTP and no
// JSON of the API, reads no clock, and names no blobs but manifests.
package index

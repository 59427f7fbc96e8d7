// Package builder turns the listings of the database into the snapshots that nodes
// serve.
//
//	Listings.Read ─► listings ─► merge.Merge ─► Compose ─► pack.Build ────┬─► publish: blobs
//	  │                  └── only prices changed ─► Repricer.Reprice ─────┤
//	  └─► series ─► pack.Lows ─► PackLows ────────────────────────────────┤
//	                                            rates, platform states ───┴─► manifest
//
// A builder holds a lease, so only one works at a time. It builds when the inputs of
// the published snapshot differ from the current ones. If only rates or platform
// states changed, it publishes them without a build. If only prices changed since its
// last build, and that is still published, it keeps the catalog blob and packs the
// prices again (listings.go). For the lows it reads the series of changed listings, and
// of all of them at its first load and on each new UTC day. It stores no state: the
// first build after a start reads and merges everything.
//
// What was published may be deleted or damaged in the bucket. Nodes report that, and the
// builder looks for it (repair.go); it publishes again, with growing pauses if that does
// not help.
//
// The package refuses to publish an empty catalog, to serve requests, and to know
// which database or bucket it uses.
package builder

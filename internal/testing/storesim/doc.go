// Package storesim simulates the world for tests of the connectors: two stores and three
// providers of exchange rates over HTTP, with a catalog that is computed and not stored.
//
//	Config ─► World ──dice──► what is sold where, on which day, for how much
//	            │                 │                        │
//	            │ Advance:        ▼                        ▼
//	            │ a day       Handler: the wire        Truth, History: what a
//	            │ passes      (FORMATS of the stores)  correct reader stores
//	            └─ SetFaults, RotateHashes: Handler fails on demand
//
// Everything is drawn from the seed by (what, product, region, day), so a world
// of 100,000 games costs no more memory than one of ten, and the wire and the
// truth cannot disagree about a price. They are two separate
// renderings of the same draw: Truth does not pass through the wire, and the
// package imports no connector.
//
// The catalog is as irregular as a real one: editions with and without a name, products
// sold separately and together, ids that differ by storefront, prices without numbers,
// numbers that contradict their texts, prices sixty times too high,
// trials and subscription offers beside purchases or alone, prices for owners, members
// and experiments beside or in place of everybody's, purchases without a price or with a
// word for unavailable, games only announced, slugs
// that only another service can resolve.
//
// The package refuses to be part of the program: only test files and cmd/storesim
// import it. It names no real store, and makes no requests.
package storesim

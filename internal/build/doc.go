// Package build turns what the database has into what nodes serve.
//
//	Source.Read ─► listings ─► merge.Merge ─► ComposeAll ─► pack.Build ─┬─► publish: blobs
//	                   └── only prices changed ─► Repricer.Reprice ─────┤
//	                                          rates, platform states ───┴─► manifest
//
// A builder holds a lease, so one works at a time. It builds whenever the
// inputs of the published snapshot differ from the current ones, and publishes
// rates and platform states alone if only they changed. If only prices changed
// since its last build, and that is still published, it keeps the catalog blob
// and packs the changed prices again (changes.go). It stores none of its state:
// after a start the first build reads and merges everything.
//
// It refuses to publish an empty catalog. It does not serve requests, and does
// not know which database or bucket it uses.
package build

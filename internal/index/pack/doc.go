// Package pack writes the blobs of a snapshot from cards, entries and series.
//
//	Input{entries, cards, …} ─► Build ─► Blobs{Catalog, Prices}, Repricer
//	     entries with new prices ─► Repricer.Reprice ─► Prices of the same catalog
//	     series of entries ─► Lows.Set ─► Repricer.PackLows ─► lows of a region
//
// Most changes of a catalog are prices alone, and then the catalog blob stays
// as it is: a [Repricer] writes the rows of the changed listings into the
// published prices blob. Readers cannot distinguish the result from what
// [Build] makes of the same input.
//
// The prices blob also says which publication changed each card last (changes.go):
// a build compares its cards with those of the published blobs ([Former]), so no
// builder has to remember anything.
//
// It leaves out cards without a listing in an active region, and links to them.
// It refuses an input that contradicts itself. It does not merge, reads no files
// and no clock, and does not publish. It is tested by the tests of package
// index, which read back what it writes.
package pack

// Package build turns what the database holds into what nodes serve.
//
//	Source.Read ─► table ─► catalog.Merge ─► Compose ─► pack.Build ─┬─► bucket: blobs
//	                 └── prices alone changed ─► Repricer.Reprice ──┤
//	                                      rates, platform states ───┴─► manifest/<seq>
//
// One builder works at a time (a lease says who); the database's publication
// number decides whose manifest counts, so a builder that slept through its
// lease writes a number that nobody reads. It builds whenever the inputs of
// the published snapshot differ from today's, and publishes rates and platform
// states alone when only they moved. Where nothing but prices changed since its
// last build, and what that published is still what it was, it keeps the cards
// and packs only the changed prices again (news.go says what counts as such);
// nodes serve from the catalog blob they have. Nothing of this is stored: after
// a start the first build reads and merges everything.
//
// It refuses to publish an empty catalog, to serve requests, and to know which
// database or bucket it works with.
package build

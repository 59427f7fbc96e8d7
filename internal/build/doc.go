// Package build turns what the database holds into what nodes serve.
//
//	Source.Read ─► table ─► catalog.Merge ─► Compose ─► index.Build ─► bucket: blobs
//	                                             rates, platform states ─┴─► manifest/<seq>
//
// One builder works at a time (a lease says who); the database's publication
// number decides whose manifest counts, so a builder that slept through its
// lease writes a number that nobody reads. It builds whenever the inputs of
// the published snapshot differ from today's, and publishes rates and platform
// states alone when only they moved.
//
// It refuses to publish an empty catalog, to serve requests, and to know which
// database or bucket it works with.
package build

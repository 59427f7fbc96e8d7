// Package status holds the page that shows how fresh everything is: platforms by
// region, exchange rates, the index and, for administrators, the collection jobs.
//
//	overview.Catalog: platform states, rates, index ─┐
//	Repository: overrides, counts, jobs ─────────────┴─► status page
//
// One line says whether all is well, then comes what is wrong; the rest is collapsed.
// Visitors without an account see what is in memory: the platforms and their regions.
//
// The package changes nothing: an administrator overrides the status of a platform
// in package admin.
package status

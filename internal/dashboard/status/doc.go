// Package status holds the page that shows how fresh everything is: platforms by
// region, exchange rates, the index and, for administrators, the collection jobs.
//
//	index.View: platform states, rates, index ─┐
//	Store: overrides, counts, jobs ────────────┴─► status page
//
// The package changes nothing: an administrator overrides the status of a platform
// in package admin.
package status

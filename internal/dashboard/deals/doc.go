// Package deals holds the page of discounts with its filters, and an Atom feed of each region.
//
//	form ─► explore: the API, in process ─► one row for versions of a game with the same deal
//
// The API decides what a deal is, and checks the filters.
package deals

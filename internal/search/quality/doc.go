// Package quality measures how well a search answers people: a list of queries
// as they are typed, each with the cards that should come first, over a catalog
// of real titles.
//
//	titles.txt, demo.txt ─► cards ┐
//	queries.txt ─► queries        ┴► Load ─► Set ─► Evaluate(find) ─► Report
//
// The files are in testdata/quality of package search. A query was judged by
// what somebody who types it wants, before anybody looked at what the index
// answers, and no judgement is changed to please it. Each query belongs to one
// of two fixed halves: ranking is tuned on the queries of one half, and only
// numbers are looked at of the other.
//
// The package knows no search: the caller passes one, so that others can
// be measured by the same list.
package quality

// Package searchquality measures how well a search answers people: a list of queries
// as they are typed, each with the cards that should come first, over a catalog
// of real titles.
//
//	titles.txt, demo.txt ─► cards ┐
//	queries.txt ─► queries        ┴► Load ─► Set ─► Evaluate(find) ─► Report
//
// The files are in testdata/quality of package search. Each query was judged by
// what a person who types it wants, before anybody looked at the results of the
// index, and no judgement is changed to suit the index. Each query belongs to
// one of two fixed halves: ranking is tuned on the queries of one half; of the
// other, only the scores are looked at.
//
// The package has no search: the caller passes one, so that others can be
// measured with the same list.
package searchquality

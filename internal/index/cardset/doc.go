// Package cardset holds sets of the cards of a snapshot, by their numbers.
//
//	Set of each value of a field ─► Bits of the cards that a filter selects ─► Set.CountIn: cards by value
//
// Filters combine sets, and facets count them, 64 cards at a time.
package cardset

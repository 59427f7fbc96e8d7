// Package lists filters cards and divides sorted lists into pages.
//
//	Filter (texts as sent) ─► Select, from one snapshot ─► cardset.Bits
//	matching items, in any order ─► Top ─► one page
//	last item of a page ─► Position ─► cursor ─► Position ─► items after it
//
// A cursor names what the last item of a page is sorted by, not how many items
// came before it: items that come or go between two pages cause no repeated
// or missing items. The package does not know prices, regions or requests: those are in
// lists/browse and lists/deals.
package lists

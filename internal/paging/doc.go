// Package paging divides sorted lists of cards into pages.
//
//	matching items, in any order ─► Top ─► one page
//	last item of a page ─► Place ─► cursor ─► Place ─► items after it
//
// A cursor names what the last item of a page is sorted by, not how many items
// came before it: items that come or go between two pages neither repeat nor
// hide others.
package paging

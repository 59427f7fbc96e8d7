// Package browse lists served cards: filters, orders, pages and facets (contract,
// section 11).
//
//	Query ─► Find: the set of the cards that pass ─► Page{Cards, Total, Next, Facets}
//
// Everything comes from the snapshot. The package does not know requests or JSON.
package browse

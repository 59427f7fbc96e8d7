// Package deals lists what is discounted now: filters, orders and pages (contract,
// section 11).
//
//	Query ─► Find: the discounted rows of each region ─► one candidate a card ─► Page{Items, Total, Next}
//
// Everything comes from the snapshot. Past prices are read only where a filter or an
// order needs them, and for the items of the page. The package does not know requests
// or JSON.
package deals

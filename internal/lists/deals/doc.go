// Package deals lists what is discounted now: filters, orders and pages (contract,
// section 11).
//
//	Query ─► Find: the discounts of each region ─► one candidate a card ─► Page{Items, Total, Next}
//
// Everything comes from the snapshot, which has what most filters and orders need of each
// discount in one list. The package does not know requests or JSON.
package deals

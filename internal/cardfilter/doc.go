// Package cardfilter selects cards by store, type, device, genre and publisher.
//
//	Filter (texts as sent) ─► Select, from one snapshot ─► cardset.Bits
//
// The lists of deals and of all cards have these filters in common. The package
// does not know prices, regions or requests.
package cardfilter

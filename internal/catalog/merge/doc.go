// Package merge decides which listings are one card, and what the card shows.
//
//	[]catalog.Entry ─► Merge ─► []Group ─► Compose ─► []catalog.Card
//	                     │
//	                     ├ by product   what most of its listings say (product.go)
//	                     ├ by family    given, or found by title ids (merge.go)
//	                     ├ by key       edition of a game, name of an add-on (family.go)
//	                     └ divided      products without a name or a title in common, and two
//	                                    products on sale in one region, are never one card (divide.go);
//	                                    then ids (family.go)
//
// When in doubt, Merge keeps listings apart: one card too many is better than a
// card that shows the price of another game. Overrides correct the result, and
// Explain describes how a card was made.
//
// The package holds pure functions: no I/O, clock, context or logging. Package
// titles finds editions and platforms in names.
package merge

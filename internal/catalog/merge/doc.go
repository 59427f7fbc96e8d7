// Package merge decides which listings are one card, and what the card shows.
//
//	[]catalog.Entry ─► Merge ─► []Group ─► Compose ─► []catalog.Card
//	                     │
//	                     ├ by product   what most of its listings say (product.go)
//	                     ├ by family    given, or found by title ids (merge.go)
//	                     ├ by key       edition of a game, name of an add-on (family.go)
//	                     └ divided      two products on sale in one region are never
//	                                    one card (divide.go); then ids (gameid.go)
//
// When in doubt Merge keeps listings apart: a card too many is a nuisance, a
// card with the price of the wrong game is a lie. Overrides correct it, Explain
// says why.
//
// The package holds pure functions: no I/O, clock, context or logging. Package
// titles finds editions and platforms in names.
package merge

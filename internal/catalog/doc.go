// Package catalog is the vocabulary of gamedex and its pure rules: what a
// listing is, what a new line does to a stored one, when two listings are the
// same card, what a card is called, how a platform is doing.
//
//	Listing ─► Supersede ─► Stored
//	[]Entry ─► Merge ─► []Group ─► Compose ─► []Card
//	              │
//	              ├ by product   what most of its listings say (product.go)
//	              ├ by family    given, or found by title ids (merge.go)
//	              ├ by key       edition of a game, name of an add-on (family.go)
//	              └ divided      two products on sale in one region are never
//	                             one card (divide.go); then ids (gameid.go)
//
// When in doubt Merge keeps apart: two cards are a nuisance, one card with the
// price of the wrong game is a lie. Overrides correct it, Explain tells why.
//
// The package holds values and functions of values. It refuses I/O, clocks,
// contexts and logging, and the listing format and the wire: feeds, databases
// and answers live in other packages.
package catalog

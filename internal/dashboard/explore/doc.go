// Package explore holds what the catalog's pages share. These are the list of games, the
// deals and the page of a game.
//
//	visitor's query ─► api.go: the API, in process ─► cards, prices
//	     cards ─► game.go: one tile for the versions of a game, and which costs the least ─► tile.go
//	     a region price ─► price.go: short form, and whether it is a low
//	form.go: search, filters, country and currency
//
// The pages show what the API answers, with the visitor as the caller: it uses
// its own limit and no key. Which version of a game costs the least, and in which country,
// comes from the index, by the rules of bulk prices: the API's prices of all countries would
// be megabytes.
//
// The package does not know SQL.
package explore

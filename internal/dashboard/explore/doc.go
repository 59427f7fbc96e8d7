// Package explore holds what the catalog's pages share. These are the list of games, the
// deals and the page of a game.
//
//	visitor's query ─► api.go: the API, in process ─► cards with their versions, prices
//	     cards ─► tile.go: one tile for the versions of a game
//	     a region price ─► price.go: short form, and whether it is a low; verdict.go: is it good?
//	form.go: search, filters, country and currency
//
// The pages show what the API answers, with the visitor as the caller: it uses
// its own limit and no key. The package knows neither the index nor SQL.
package explore

// Package explore holds the catalog explorer: the list of games and its search, deals,
// and cards with their prices in all regions.
//
//	visitor's query ─► api.go: the API, in process ─► search.go, deals.go, card.go ─► page
//	     cards of an answer ─► game.go: one tile for the versions of a game ─► tile.go, price.go
//	     prices of a card, with lows ─► regions.go: countries; lows.go: words
//	     past prices ─► history.go, series.go: a table ─► plot.go: a chart
//	index.View ─► versions of a game, names of devices and countries
//
// The explorer shows what the API answers, with the visitor as the caller: it uses
// its own limit and no key.
//
// The package does not know SQL and decides nothing about prices.
package explore

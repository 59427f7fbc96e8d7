// Package explore holds the catalog explorer: search, suggestions, and cards with
// their prices in all regions.
//
//	visitor's query ─► api.go: the API, in process ─► search.go, card.go ─► page
//	     prices of a card, with lows ─► regions.go: countries; lows.go: words
//	     past prices ─► history.go, series.go: a table ─► plot.go: a chart
//	index.View ─► popular games, names of places, devices
//
// The explorer shows what the API answers, with the visitor as the caller: it uses
// its own limit and no key.
//
// The package does not know SQL and decides nothing about prices.
package explore

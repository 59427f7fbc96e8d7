// Package game holds the page of a card: what it is, its prices by country, its past prices,
// its editions and add-ons, and the API requests that give what is seen.
//
//	explore: the API, in process ─► card.go: facts, versions, editions, add-ons
//	     prices with lows ─► regions.go: countries; history.go: words about lows
//	     past prices ─► history.go, series.go: a table ─► plot.go: a chart
//
// It decides nothing about prices.
package game

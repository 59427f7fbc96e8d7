package api_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"gamedex/internal/testing/golden"
)

// indented returns the body as golden files have it.
func (r reply) indented() string {
	r.t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, r.body, "", "  "); err != nil {
		r.t.Fatalf("%v: %.500s", err, r.body)
	}
	return out.String() + "\n"
}

// TestEveryResponseShape asks each question in a world of its own: what is left of the rate
// limit does not depend on the other questions.
func TestEveryResponseShape(t *testing.T) {
	for _, c := range []struct {
		name, path string
		status     int
	}{
		{"health", "/health", 200},
		{"account-me", "/account/me", 200},
		{"account-usage", "/account/usage", 200},
		{"exchange-rates", "/catalog/exchange-rates", 200},
		{"platforms", "/catalog/platforms", 200},
		{"search", "/catalog/search?q=star+forge&includeRelated=1&includeMembers=1", 200},
		{"search-bundle", "/catalog/search?q=trilogy&includeMembers=true", 200},
		{"search-russian", "/catalog/search?q=%D0%BA%D1%83%D0%B7%D0%BD%D1%8F", 200},
		{"suggest", "/catalog/suggest?q=star", 200},
		{"card", "/catalog/games/" + forge, 200},
		{"card-edition", "/catalog/games/" + deluxe, 200},
		{"card-season-pass", "/catalog/games/" + pass, 200},
		{"card-text-price", "/catalog/games/" + texts, 200},
		{"card-pc", "/catalog/pcstore/games/star-forge", 200},
		{"card-moved", "/catalog/games/" + former, 404},
		{"card-unknown", "/catalog/games/nope", 404},
		{"prices", "/catalog/prices?ids=" + forge + ",star-forge," + former + ",Nope", 200},
		{"prices-everything", "/catalog/prices?ids=" + forge + ",star-forge," + odd + "&regions=all&include=image,url,editions,meta,fx", 200},
		{"prices-states", "/catalog/prices?ids=" + free + "," + texts + "," + odd + "," + deluxe, 200},
		{"prices-other-region", "/catalog/prices?ids=" + pass + "&regions=us&include=url", 200},
		{"not-found", "/nothing/here", 404},
		{"search-relaxed", "/catalog/search?q=star+forge+zebra&limit=1", 200},
		{"history", "/catalog/history?ids=" + strings.ToLower(forge) + "," + texts + ",star-forge," + former + ",Nope&since=2026-08-01&until=2026-11-20T07:00:00Z", 200},
		{"history-all", "/catalog/history?ids=" + forge + "&regions=all", 200},
		{"prices-currency", "/catalog/prices?ids=" + forge + ",star-forge," + odd + "," + free + "," + texts + "&regions=all&include=editions&currency=pln", 200},
		{"prices-currency-unknown", "/catalog/prices?ids=" + forge + "&currency=EUR", 200},
		{"card-currency", "/catalog/games/" + forge + "?currency=USD", 200},
		{"card-currency-text", "/catalog/games/" + texts + "?currency=UAH", 200},
		{"card-pc-currency", "/catalog/pcstore/games/star-forge?currency=JPY", 200},
		{"prices-lows", "/catalog/prices?ids=" + forge + "," + free + "," + odd + "," + demo + "&regions=UA,TR,PL&include=lows", 200},
		{"browse", "/catalog/browse?limit=3&facets=types,genres,publishers,platforms,regions,years", 200},
		{"browse-end", "/catalog/browse?types=dlc&sort=added", 200},
		{"deals", "/catalog/deals", 200},
		{"deals-regions", "/catalog/deals?regions=all&subscription=any&free=any&sort=ends&limit=2&currency=PLN", 200},
		{"deals-none", "/catalog/deals?minDiscount=99", 200},
		{"card-lang", "/catalog/games/" + forge + "?lang=uk-UA", 200},
		{"card-lang-edition", "/catalog/games/" + deluxe + "?lang=uk", 200},
		{"card-pc-lang", "/catalog/pcstore/games/star-forge?lang=uk", 200},
		{"search-lang", "/catalog/search?q=%D0%BA%D1%83%D0%B7%D0%BD%D1%8F&includeRelated=1&lang=en", 200},
		{"suggest-lang", "/catalog/suggest?q=star&lang=uk", 200},
		{"prices-lang", "/catalog/prices?ids=" + forge + "," + deluxe + ",star-forge," + free + "&include=editions,meta&currency=USD&lang=UK", 200},
		{"history-lang", "/catalog/history?ids=" + forge + "&regions=TR&lang=uk", 200},
		{"deals-lang", "/catalog/deals?lang=uk", 200},
		{"browse-lang", "/catalog/browse?types=game,edition&limit=4&lang=uk", 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newWorld(t, unlimited).get(c.path).want(c.status)
			golden.Check(t, "testdata/"+c.name+".json", r.indented())
		})
	}
}

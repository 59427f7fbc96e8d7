package api_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden compares an answer, indented, with testdata/NAME.json.
func (r reply) golden(name string) {
	r.t.Helper()
	var got bytes.Buffer
	if err := json.Indent(&got, r.body, "", "  "); err != nil {
		r.t.Fatalf("%v: %.500s", err, r.body)
	}
	got.WriteByte('\n')
	path := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			r.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		r.t.Errorf("differs from %s (-want +got):\n%s", path, diff)
	}
}

func TestEveryResponseShape(t *testing.T) {
	w := newWorld(t, unlimited)
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
			r := w.get(c.path).want(c.status)
			r.t = t
			r.golden(c.name)
		})
	}
}

package pcstore_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/pcstore"
	"gamedex/internal/sweep"
)

const goodProfile = `{
  "graphql": "https://api.pc.example/graphql", "platform": "https://platform.pc.example/api/v1/", "store": "PC",
  "operations": {"searchStoreQuery": "` + searchHash + `", "getCatalogOffer": "` + offerHash + `"},
  "category": "games/edition/base|bundles/games", "pageSize": 200,
  "gameURL": "https://www.pc.example/{locale}/p/{slug}",
  "regions": [
    {"region": "DE", "locale": "de", "currency": "EUR", "countries": ["AT", "FR"]},
    {"region": "UA", "locale": "uk", "currency": "UAH"}
  ]
}`

func TestParseProfile(t *testing.T) {
	got, err := pcstore.ParseProfile(json.RawMessage(goodProfile))
	if err != nil {
		t.Fatal(err)
	}
	region := catalog.MustRegion
	want := pcstore.Profile{
		GraphQL: "https://api.pc.example/graphql", Platform: "https://platform.pc.example/api/v1", Store: "PC",
		SearchHash: searchHash, OfferHash: offerHash, Category: "games/edition/base|bundles/games", PageSize: 200,
		GameURL: "https://www.pc.example/{locale}/p/{slug}",
		PriceRegions: []pcstore.PriceRegion{
			{Countries: []catalog.Region{region("DE"), region("AT"), region("FR")}, Locale: "de", Currency: "EUR"},
			{Countries: []catalog.Region{region("UA")}, Locale: "uk", Currency: "UAH"},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("profile (-want +got):\n%s", d)
	}
}

func TestParseProfileRefuses(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"no JSON", goodProfile, "x", "pcstore: "},
		{"something behind it", goodProfile, goodProfile + "{}", "pcstore: there is something after"},
		{"an unknown field", `"store":`, `"shop": 1, "store":`, `unknown field "shop"`},
		{"a number for a text", `"store": "PC"`, `"store": 7`, "pcstore.store: is a JSON number, want string"},
		{"no address", `"https://api.pc.example/graphql"`, `""`, "pcstore.graphql: "},
		{"an address with a query", `/graphql"`, `/graphql?key=1"`, "pcstore.graphql: "},
		{"an address with a user", `https://platform`, `https://me:secret@platform`, "pcstore.platform: "},
		{"another protocol", `https://platform`, `ftp://platform`, "pcstore.platform: "},
		{"no store", `"PC"`, `"P C"`, "pcstore.store: "},
		{"a hash too short", searchHash, "11", "pcstore.operations.searchStoreQuery: "},
		{"a hash missing", `, "getCatalogOffer": "` + offerHash + `"`, "", "pcstore.operations.getCatalogOffer: "},
		{"an unknown operation", `"operations": {`, `"operations": {"getAll": "x", `, "pcstore.operations.getAll: "},
		{"no category", `"games/edition/base|bundles/games"`, `""`, "pcstore.category: "},
		{"a page too small to overlap", `200`, `1`, "pcstore.pageSize: 1 "},
		{"a page too big", `200`, `1001`, "pcstore.pageSize: 1001 "},
		{"no slug in the game's address", `{slug}`, `x`, "pcstore.gameURL: "},
		{"an unknown mark in the game's address", `{locale}`, `{language}`, "pcstore.gameURL: "},
		{"no regions", `"regions": [`, `"regions": [], "x": [`, "unknown field"},
		{"a country in lower case", `"UA"`, `"ua"`, "pcstore.regions[1].region: "},
		{"three letters", `"AT"`, `"AUT"`, "pcstore.regions[0].countries[0]: "},
		{"no country", `"FR"`, `"EU"`, "pcstore.regions[0].countries[1]: "},
		{"a country in two groups", `"FR"]`, `"UA"]`, "pcstore.regions[1]: UA is in regions[0]"},
		{"a country twice in one", `"FR"]`, `"DE"]`, "pcstore.regions[0]: DE is in regions[0]"},
		{"no locale", `"uk"`, `"u k"`, "pcstore.regions[1].locale: "},
		{"no currency", `"UAH"`, `"HRN"`, "pcstore.regions[1].currency: "},
		{"an unknown field of a region", `"locale": "uk"`, `"language": "uk"`, `pcstore.regions[1]: unknown field "language"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(goodProfile, tt.old) {
				t.Fatalf("the valid profile has no %s", tt.old)
			}
			_, err := pcstore.ParseProfile(json.RawMessage(strings.Replace(goodProfile, tt.old, tt.new, 1)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
	if _, err := pcstore.ParseProfile(json.RawMessage(`{}`)); err == nil {
		t.Error("an empty profile was accepted")
	}
}

func TestJobs(t *testing.T) {
	s := (&shop{}).open(t)
	var got []string
	for _, job := range s.store.Jobs() {
		line := job.Scope.String()
		for _, r := range job.Regions {
			line += " " + r.String()
		}
		got = append(got, line)
	}
	want := []string{"pcstore/DE/prices DE AT FR", "pcstore/DE/details DE AT FR", "pcstore/UA/prices UA", "pcstore/UA/details UA"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("jobs (-want +got):\n%s", d)
	}
	if p := s.store.Platform(); p != catalog.PCStore {
		t.Errorf("platform %s", p)
	}
	if host := s.store.Host(); !strings.HasPrefix(host, "127.0.0.1:") {
		t.Errorf("host %q", host)
	}
}

func TestReadRefusesOtherScopes(t *testing.T) {
	s := (&shop{}).open(t)
	for _, scope := range []sweep.Scope{
		{Platform: catalog.PCStore, Region: catalog.MustRegion("AT"), Kind: sweep.Prices}, // requested as DE
		{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("DE"), Kind: sweep.Prices},
		{Platform: catalog.PCStore, Region: catalog.MustRegion("DE"), Kind: sweep.AddOns},
	} {
		if page, err := s.store.Read(t.Context(), sweep.Job{Scope: scope}, ""); err == nil {
			t.Errorf("%s has the page %s", scope, written(page))
		}
	}
}

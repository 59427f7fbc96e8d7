package consolestore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/consolestore"
	"gamedex/internal/sweep"
	"gamedex/internal/testing/golden"
)

// recordings are answers in the store's format, shortened and with invented games. Review
// the resulting pages by hand.
var recordings = []struct {
	name, code string
	kind       sweep.Kind
	from       string
	answer     string // in testdata
}{
	{"prices", "FI", sweep.Prices, "", "prices.json"},
	{"titles", "UA", sweep.Titles, "", "titles.json"},
	{"editions", "TW", sweep.Editions, "10000001", "editions.json"},
	{"editions-partial", "HK", sweep.Editions, "10000001", "editions-partial.json"},
	{"editions-announced", "TW", sweep.Editions, "10000001", "editions-announced.json"},
	{"editions-garbage", "HK", sweep.Editions, "10000001", "editions-garbage.json"},
	{"editions-not-available", "HK", sweep.Editions, "10000001", "not-available.json"},
	{"details", "US", sweep.Details, "UP0001-PPSA00001_00-STARFORGEBUNDLE0", "details.json"},
	{"details-bare", "FI", sweep.Details, "UP0001-PPSA00001_00-STARFORGE0000000", "details-bare.json"},
	{"details-elsewhere", "HK", sweep.Details, "UP0001-PPSA00001_00-STARFORGE0000000", "details-elsewhere.json"},
	{"details-not-available", "HK", sweep.Details, "UP0001-PPSA00001_00-STARFORGE0000000", "not-available.json"},
	{"addons", "US", sweep.AddOns, "10000001", "addons.json"},
	{"addons-none", "US", sweep.AddOns, "10000001", "addons-none.json"},
	{"addons-no-storefront", "HK", sweep.AddOns, "10000001", "no-storefront.json"},
}

// world is a profile of several regions.
func world() consolestore.Profile {
	p := profile()
	p.PageSize, p.AddOnPageSize = 100, 50
	p.Regions = []consolestore.Region{
		region("UA", "uk-ua", "UAH", "ru-ua"), region("TW", "zh-hant-tw", "TWD"), region("HK", "en-hk", "HKD"),
		region("US", "en-us", "USD"), region("FI", "fi-fi", "EUR"),
	}
	return p
}

func TestPages(t *testing.T) {
	for _, r := range recordings {
		t.Run(r.name, func(t *testing.T) {
			answer, err := os.ReadFile(filepath.Join("testdata", r.answer))
			if err != nil {
				t.Fatal(err)
			}
			s := open(t, world(), always(string(answer)))
			got := text(s.read(t, r.code, r.kind, r.from))
			golden.Check(t, "testdata/"+r.name+".golden", got)
		})
	}
}

// TestProseOnlyOnRequest checks that parts have descriptions and pictures only if
// requested.
func TestProseOnlyOnRequest(t *testing.T) {
	answer, err := os.ReadFile(filepath.Join("testdata", "details.json"))
	if err != nil {
		t.Fatal(err)
	}
	s := openWith(t, world(), always(string(answer)), false)
	for _, part := range s.read(t, "US", sweep.Details, "UP0001-PPSA00001_00-STARFORGEBUNDLE0").Parts {
		shown := part.Shows | part.Guesses
		if shown&(sweep.ShowsDescription|sweep.ShowsImages) != 0 || part.Prose.Description != "" || part.Prose.Cover != "" {
			t.Errorf("the part shows %q, %q", part.Prose.Description, part.Prose.Cover)
		}
	}
}

// TestQueries checks the queries that arrive at the store, for every kind.
func TestQueries(t *testing.T) {
	tests := []struct {
		kind sweep.Kind
		from string
		want question
	}{
		{sweep.Prices, "", question{"categoryGridRetrieve", hashes.Grid, "uk-ua", "https://www.store.example",
			`{"id":"all-games","pageArgs":{"size":100,"offset":0},"sortBy":null,"filterBy":[],"facetOptions":[]}`}},
		{sweep.Titles, "", question{"categoryGridRetrieve", hashes.Grid, "ru-ua", "https://www.store.example",
			`{"id":"all-games","pageArgs":{"size":100,"offset":0},"sortBy":null,"filterBy":[],"facetOptions":[]}`}},
		{sweep.Editions, "10000001", question{"conceptRetrieveForUpsellWithCtas", hashes.Concept, "uk-ua", "https://www.store.example", `{"conceptId":"10000001"}`}},
		{sweep.AddOns, "10000001", question{"getAddOnProductsByConcept", hashes.AddOns, "uk-ua", "https://www.store.example",
			`{"conceptId":"10000001","pageArgs":{"size":50,"offset":0}}`}},
		{sweep.Details, "UP1-A", question{"metGetProductById", hashes.Product, "uk-ua", "https://www.store.example", `{"productId":"UP1-A"}`}},
	}
	for _, tt := range tests {
		t.Run(tt.kind.String(), func(t *testing.T) {
			s := open(t, world(), always(`{"data":{}}`))
			if _, err := s.try(t, "UA", tt.kind, tt.from); err == nil {
				t.Error("an empty answer is not an error")
			}
			if diff := cmp.Diff([]question{tt.want}, s.asked); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestJobs(t *testing.T) {
	s := open(t, world(), always(""))
	var got strings.Builder
	for _, job := range s.Jobs() {
		got.WriteString(job.Scope.String() + " ")
		if len(job.Regions) != 1 || job.Regions[0] != job.Scope.Region {
			t.Errorf("%s is for the regions %v", job.Scope, job.Regions)
		}
	}
	want := "consolestore/FI/prices consolestore/FI/editions consolestore/FI/addons consolestore/FI/details " +
		"consolestore/HK/prices consolestore/HK/editions consolestore/HK/addons consolestore/HK/details " +
		"consolestore/TW/prices consolestore/TW/editions consolestore/TW/addons consolestore/TW/details " +
		"consolestore/UA/prices consolestore/UA/editions consolestore/UA/addons consolestore/UA/details consolestore/UA/titles " +
		"consolestore/US/prices consolestore/US/editions consolestore/US/addons consolestore/US/details "
	if got.String() != want {
		t.Errorf("got  %s\nwant %s", got.String(), want)
	}
	if s.Platform() != catalog.ConsoleStore || !strings.HasPrefix(s.Host(), "127.0.0.1:") {
		t.Errorf("platform %s, host %s", s.Platform(), s.Host())
	}
}

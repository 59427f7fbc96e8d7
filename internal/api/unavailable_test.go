package api_test

import (
	"slices"
	"testing"

	"gamedex/internal/api"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// withStore serves a catalog while one store is in a state.
func withStore(s *sample, p catalog.Platform, state index.PlatformState) func(*world, *api.Config) {
	return func(w *world, _ *api.Config) {
		m := sampleManifest(w.t)
		state.Platform = p
		m.Platforms = []index.PlatformState{state}
		w.live.Swap(index.NewView(s.open(w.t), m))
	}
}

// TestUnavailableStores checks that an id is not reported as gone without a word
// when its store was never read or is out.
func TestUnavailableStores(t *testing.T) {
	consoleOnly := sampleCatalog()
	consoleOnly.in.Cards = slices.DeleteFunc(consoleOnly.in.Cards, func(c catalog.Card) bool { return c.Platform == catalog.PCStore })
	consoleOnly.in.Regions = map[catalog.Platform][]catalog.Region{catalog.ConsoleStore: regionsOf("UA")}
	for _, c := range []struct {
		name        string
		catalog     *sample
		pc          index.PlatformState
		query, want string // of meta.unavailable; "" for 503
	}{
		{"all is well", sampleCatalog(), index.PlatformState{Status: "degraded", Collecting: true, FirstSweepDone: true}, "ids=x", "null"},
		{"imports only", sampleCatalog(), index.PlatformState{}, "ids=x", "null"},
		{"never read", consoleOnly, index.PlatformState{}, "ids=x", `["pcstore"]`},
		{"never read, asked for", consoleOnly, index.PlatformState{}, "ids=x&platform=pcstore", ""},
		{"never read, the other asked for", consoleOnly, index.PlatformState{}, "ids=x&platform=consolestore", "null"},
		{"never read, but nothing is missing", consoleOnly, index.PlatformState{}, "ids=" + forge, "null"},
		{"out", sampleCatalog(), index.PlatformState{Status: "outage", Collecting: true, FirstSweepDone: true}, "ids=x,star-forge&platform=pcstore", `["pcstore"]`},
		{"out, but nothing is missing", sampleCatalog(), index.PlatformState{Status: "outage"}, "ids=star-forge", "null"},
		{"the first sweep is under way", sampleCatalog(), index.PlatformState{Status: "degraded", Collecting: true}, "ids=x", `["pcstore"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, withStore(c.catalog, catalog.PCStore, c.pc))
			r := w.get("/catalog/prices?" + c.query)
			if c.want != "" {
				r.want(200).is("meta.unavailable", c.want)
				return
			}
			r.code(503, "UPSTREAM_ERROR").is("error.details", `{"retryAfter":60,"service":"pcstore"}`)
			w.post(`{"ids":["x"],"platform":"pcstore"}`).code(503, "UPSTREAM_ERROR")
		})
	}
}

// TestListsNameUnreadStores checks that a store that is being read for the first time does not
// look like an empty one.
func TestListsNameUnreadStores(t *testing.T) {
	reading := index.PlatformState{Status: "degraded", Collecting: true}
	for _, c := range []struct {
		name  string
		state index.PlatformState
		want  string // of all platforms and of pcstore
	}{
		{"the first sweep is under way", reading, `["pcstore"]`},
		{"never read, and out", index.PlatformState{Status: "outage", Collecting: true}, `["pcstore"]`},
		{"read once, and out", index.PlatformState{Status: "outage", Collecting: true, FirstSweepDone: true}, "null"},
		{"imports only", index.PlatformState{}, "null"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, unlimited, withStore(sampleCatalog(), catalog.PCStore, c.state))
			for _, path := range []string{"/catalog/search?q=nothing+has+this", "/catalog/suggest?q=star", "/catalog/browse?types=dlc", "/catalog/deals?regions=all"} {
				w.get(path).want(200).is("meta.unavailable", c.want)
				w.get(path+"&platform=pcstore").want(200).is("meta.unavailable", c.want)
				w.get(path+"&platform=consolestore").want(200).is("meta.unavailable", "null")
			}
		})
	}
}

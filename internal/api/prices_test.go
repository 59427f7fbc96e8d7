package api_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"gamedex/internal/api"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
)

// worldOf starts a world with a different catalog.
func worldOf(t *testing.T, s *sample) *world {
	return worldWith(t, s, sampleManifest(t).Rates)
}

// worldWith starts a world with a catalog and a table of rates, which may be the zero one.
func worldWith(t *testing.T, s *sample, rates money.Rates) *world {
	return newWorld(t, unlimited, func(w *world, _ *api.Config) {
		m := sampleManifest(t)
		m.Rates = rates
		w.live.Swap(index.NewView(s.open(t), m))
	})
}

// TestEuroArea asks for the active regions of the euro area.
func TestEuroArea(t *testing.T) {
	s := newSample()
	s.in.Active = regionsOf("UA", "FR", "DE")
	s.console(catalog.Card{ID: "AAAAAAAA", Type: catalog.Game, Title: "A"}, "P", "",
		offer{"UA", number("UAH", 1)}, offer{"DE", number("EUR", 1)}, offer{"IT", number("EUR", 1)})
	w := worldOf(t, s)
	for regions, want := range map[string]string{"eu": `["FR","DE"]`, "DE,EU,UA": `["DE","FR","UA"]`, "it+eu": `["IT","FR","DE"]`} {
		w.get("/catalog/prices?ids=AAAAAAAA&regions="+regions).want(200).is("filters.regions", want)
	}
	w.get("/catalog/prices?ids=AAAAAAAA&regions=eu").is("regions", `["DE"]`)
}

// TestADoubtfulPriceNeverLeads checks the simple price of cards and results.
func TestADoubtfulPriceNeverLeads(t *testing.T) {
	unsure := onlyText("UAH", "Скоро")
	unsure.Source = catalog.SourceDoubtful
	for _, c := range []struct {
		name   string
		offers []offer
		want   string
	}{
		{"exact", []offer{{"UA", number("UAH", 1, doubtful)}, {"TR", number("TRY", 2)}, {"PL", number("PLN", 3)}}, "₺0,02"},
		{"for members", []offer{{"UA", number("UAH", 1, doubtful)}, {"TR", number("TRY", 2, subscribers)}}, "₺0,02"},
		{"alone", []offer{{"UA", number("UAH", 1, doubtful)}, {"TR", onlyText("TRY", "899 TL")}}, "0,01 ₴"},
		{"the first of two", []offer{{"TR", number("TRY", 1, doubtful)}, {"PL", number("PLN", 2, doubtful)}}, "₺0,01"},
		{"text", []offer{{"UA", unsure}, {"TR", onlyText("TRY", "899 TL")}}, "899 TL"},
		{"text alone", []offer{{"UA", unsure}}, "Скоро"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSample()
			s.console(catalog.Card{ID: "AAAAAAAA", Type: catalog.Game, Title: "Aaa"}, "P", "", c.offers...)
			w := worldOf(t, s)
			w.get("/catalog/games/AAAAAAAA").want(200).is("data.price.formatted", `"`+c.want+`"`)
			w.get("/catalog/search?q=aaa").want(200).is("data.results.0.price.formatted", `"`+c.want+`"`)
		})
	}
}

// TestEditionsThatNoActiveRegionLists sells an edition only abroad, on both stores.
func TestEditionsThatNoActiveRegionLists(t *testing.T) {
	s := newSample()
	s.console(catalog.Card{ID: "AAAAAAAA", Family: "f", Type: catalog.Game, Title: "A"}, "P", "",
		offer{"UA", number("UAH", 2)}, offer{"DE", number("EUR", 2)})
	s.console(catalog.Card{ID: "BBBBBBBB", Family: "f", Type: catalog.EditionType, Title: "A - Gold"}, "Q", "Gold", offer{"DE", number("EUR", 3)})
	pc := catalog.Card{ID: "a-game", Platform: catalog.PCStore, Type: catalog.Game, Title: "A"}
	for _, o := range []catalog.Offer{{ID: "p", Type: catalog.Base}, {ID: "q", Type: catalog.EditionType}, {ID: "r", Type: catalog.Game, Demo: true}} {
		regions := []offer{{"DE", number("EUR", 2)}}
		if o.ID != "q" {
			regions = append(regions, offer{"UA", number("UAH", 2)})
		}
		o.Rows = s.rows(catalog.PCStore, o.ID, catalog.Facts{}, regions...)
		pc.Offers = append(pc.Offers, o)
	}
	pc.Rows = pc.Offers[0].Rows
	s.card(pc)
	r := worldOf(t, s).get("/catalog/prices?ids=AAAAAAAA,a-game&regions=DE,UA&include=editions").want(200)
	for i, keys := range [][2]string{{"DE", "UA"}, {"DEU", "UKR"}} {
		at := fmt.Sprintf("data.items.%d.regions.", i)
		r.is(at+keys[0]+".variantsCount", "2").is(at+keys[1]+".variantsCount", "1")
	}
	// A card that is not served has no id to ask for.
	r.is("data.items.0.regions.DE.editions.1", "null").is("data.items.1.regions.DEU.editions.1.id", `"q"`).
		is("data.items.1.regions.DEU.editions.2", "null")
}

func TestPlatformOfAnID(t *testing.T) {
	s := newSample()
	s.console(catalog.Card{ID: "ABCDEFGH", Type: catalog.Game, Title: "Console"}, "P", "", offer{"UA", number("UAH", 1)})
	pc := catalog.Offer{ID: "O", Title: "PC", Type: catalog.Base, Rows: s.rows(catalog.PCStore, "O", catalog.Facts{}, offer{"UA", number("UAH", 1)})}
	s.card(catalog.Card{ID: "abcdefgh", Aliases: []string{"pc-alias"}, Platform: catalog.PCStore, Type: catalog.Game, Title: "PC", Rows: pc.Rows, Offers: []catalog.Offer{pc}})
	w := worldOf(t, s)
	for platform, want := range map[string]string{"auto": `"consolestore"`, "consolestore": `"consolestore"`, "pcstore": `"pcstore"`} {
		w.get("/catalog/prices?ids=abcdefgh&platform="+platform).is("data.items.0.platform", want)
	}
	w.get("/catalog/prices?ids=ABCDEFGH,pc-alias").want(200).is("counts.resolved", "2")
}

func TestWithoutRates(t *testing.T) {
	w := worldWith(t, sampleCatalog(), money.Rates{})
	w.get("/catalog/prices?ids="+forge+"&include=fx").want(200).is("data.exchangeRates", "null").is("meta.exchangeRates", "null").
		is("data.items.0.regions.UA.usd", "null").is("data.items.0.cheapest", "null").is("data.items.0.regions.UA.current", "149900")
	r := w.get("/catalog/exchange-rates").code(503, "SERVICE_UNAVAILABLE")
	if r.header.Get("Retry-After") == "" {
		t.Error("lacks Retry-After")
	}
}

// TestDollarsWithoutRates checks that prices in dollars have usd without a table of rates,
// and are called the cheapest only if no price is in another currency.
func TestDollarsWithoutRates(t *testing.T) {
	for _, c := range []struct {
		name     string
		offers   []offer
		want     string
		compared int
	}{
		{"dollars twice", []offer{{"US", number("USD", 1999)}, {"IN", number("USD", 999)}}, `{"region":"IN","text":"$9.99","usd":9.99}`, 2},
		{"another currency before", []offer{{"UA", number("UAH", 1)}, {"US", number("USD", 1999)}}, "null", 0},
		{"another currency after", []offer{{"US", number("USD", 1999)}, {"UA", number("UAH", 1)}}, "null", 0},
		{"nothing to compare with", []offer{{"US", number("USD", 1999)}, {"UA", number("UAH", 0, trial)}, {"PL", onlyText("PLN", "Wkrótce")}, {"TR", nil}},
			`{"region":"US","text":"$19.99","usd":19.99}`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSample()
			s.console(catalog.Card{ID: "AAAAAAAA", Type: catalog.Game, Title: "A"}, "P", "", c.offers...)
			var regions []string
			for _, o := range c.offers {
				regions = append(regions, o.region)
			}
			worldWith(t, s, money.Rates{}).get("/catalog/prices?ids=AAAAAAAA&include=editions&regions="+strings.Join(regions, ",")).want(200).
				is("data.items.0.cheapest", c.want).is("data.items.0.comparedRegions", strconv.Itoa(c.compared)).
				is("data.items.0.regions.US.usd", "19.99").is("data.items.0.regions.US.editions.0.usd", "19.99")
		})
	}
}

func TestStoreOutage(t *testing.T) {
	empty := newSample()
	empty.in.Regions = nil
	for _, c := range []struct {
		name    string
		catalog *sample
		state   index.PlatformState
		id      string
		code    string
	}{
		{"collection off, nothing listed", empty, index.PlatformState{Status: "outage"}, "x", "GAME_NOT_FOUND"},
		{"collection on, nothing listed", empty, index.PlatformState{Status: "degraded", Collecting: true}, "x", "UPSTREAM_ERROR"},
		{"first sweep under way in an outage", sampleCatalog(), index.PlatformState{Status: "outage", Collecting: true}, "x", "UPSTREAM_ERROR"},
		{"first sweep under way", sampleCatalog(), index.PlatformState{Status: "degraded", Collecting: true}, "x", "GAME_NOT_FOUND"},
		{"outage after the first sweep", sampleCatalog(), index.PlatformState{Status: "outage", Collecting: true, FirstSweepDone: true}, "x", "GAME_NOT_FOUND"},
		{"a former id is known", sampleCatalog(), index.PlatformState{Status: "outage", Collecting: true}, former, "GAME_NOT_FOUND"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, withStore(c.catalog, catalog.ConsoleStore, c.state))
			r := w.get("/catalog/games/" + c.id)
			r.code(map[string]int{"GAME_NOT_FOUND": 404, "UPSTREAM_ERROR": 503}[c.code], c.code)
			if c.code == "UPSTREAM_ERROR" {
				r.is("error.details", `{"retryAfter":60,"service":"consolestore"}`)
				if r.header.Get("Retry-After") != "60" {
					t.Errorf("Retry-After %q", r.header.Get("Retry-After"))
				}
			}
			w.get("/catalog/pcstore/games/x").code(404, "GAME_NOT_FOUND")
		})
	}
}

const lowsOfForge = "/catalog/prices?ids=" + forge + "&include=lows"

// TestLowsInTheTag checks that the tag of an answer with lows changes with the lows and
// with the day of the windows, and that of others does not.
func TestLowsInTheTag(t *testing.T) {
	for name, tt := range map[string]struct {
		change  func(*sample)
		changed bool
	}{
		"nothing":                {func(*sample) {}, false},
		"another day":            {func(s *sample) { s.lows = pack.NewLows(start/day + 1); s.pastPrices() }, true},
		"no lows":                {func(s *sample) { s.lows = pack.NewLows(start / day) }, true},
		"the past of other game": {func(s *sample) { s.past(t, uint32(len(s.in.Entries)-1), nil) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, unlimited)
			const without = "/catalog/prices?ids=" + forge
			before, beforeWithout := w.get(lowsOfForge).want(200).header.Get("ETag"), w.get(without).want(200).header.Get("ETag")
			s := sampleCatalog()
			tt.change(s)
			w.live.Swap(index.NewView(s.open(t), sampleManifest(t)))
			if changed := w.get(lowsOfForge).want(200).header.Get("ETag") != before; changed != tt.changed {
				t.Errorf("the tag changed: %v, want %v", changed, tt.changed)
			}
			if w.get(without).want(200).header.Get("ETag") != beforeWithout {
				t.Error("the tag of an answer without lows changed")
			}
		})
	}
}

// TestLowsAfterTheDiscount checks that the answer changes when the discount ends, without
// another snapshot.
func TestLowsAfterTheDiscount(t *testing.T) {
	w := newWorld(t, unlimited)
	const low, real = "data.items.0.regions.UA.lows.days90.lastAt", "data.items.0.regions.UA.lows.real"
	first := w.get(lowsOfForge).want(200)
	first.is(low, "null")
	first.is("data.items.0.regions.UA.since", "null") // only pages get it
	w.now.Store(start + 2*day)
	second := w.get(lowsOfForge).want(200)
	second.is(low, `"2026-11-22T07:00:12.345Z"`)
	second.is(real, "null")
	second.is("data.items.0.regions.UA.lows.meets", "null")
	if first.header.Get("ETag") == second.header.Get("ETag") {
		t.Error("the tag is the same after the discount")
	}
}

// TestSnapshotWithoutLows checks that lows are null where an older version of the program
// published the snapshot.
func TestSnapshotWithoutLows(t *testing.T) {
	w := newWorld(t, unlimited)
	blobs, _, err := pack.Build(sampleCatalog().in)
	must(t, err)
	snap, err := index.Open(blobs.Catalog, blobs.Prices)
	must(t, err)
	w.live.Swap(index.NewView(snap, sampleManifest(t)))
	w.get(lowsOfForge).want(200).is("data.items.0.regions.UA.lows", "null")
}

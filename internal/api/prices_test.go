package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
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

// keysOf returns the names of an object in their order.
func (r reply) keysOf(path ...string) []string {
	r.t.Helper()
	raw := json.RawMessage(r.body)
	for _, name := range path {
		var members map[string]json.RawMessage
		var elements []json.RawMessage
		if json.Unmarshal(raw, &elements) == nil {
			raw = elements[0]
		}
		must(r.t, json.Unmarshal(raw, &members))
		raw = members[name]
	}
	var keys []string
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	for depth := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return keys
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			if depth == 1 {
				keys = append(keys, token)
				var skipped json.RawMessage
				must(r.t, dec.Decode(&skipped))
			}
		}
	}
}

func TestOrderOfRegions(t *testing.T) {
	s := newSample()
	s.console(catalog.Card{ID: "AAAAAAAA", Type: catalog.Game, Title: "Everywhere"}, "P", "",
		offer{"DE", number("EUR", 100)}, offer{"BR", number("BRL", 100)}, offer{"PL", number("PLN", 100)},
		offer{"TR", number("TRY", 100)}, offer{"US", number("USD", 100)})
	pc := catalog.Offer{ID: "O", Title: "Everywhere", Type: catalog.Base, Rows: s.rows(catalog.PCStore, "O", catalog.Facts{},
		offer{"TR", number("TRY", 100)}, offer{"DE", number("EUR", 100)})}
	s.card(catalog.Card{ID: "every-where", Platform: catalog.PCStore, Type: catalog.Game, Title: "Everywhere", Rows: pc.Rows, Offers: []catalog.Offer{pc}})
	w := worldOf(t, s)
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"", []string{"TR", "PL"}},
		{"&regions=PL,DEU,XK,TR,pl", []string{"PL", "DE", "TR"}},
		{"&regions=all", []string{"TR", "PL", "BR", "DE", "US"}},
		{"&platform=pcstore&regions=all", []string{"TUR", "DEU"}},
		{"&platform=pcstore&regions=DE", []string{"DEU"}},
	} {
		id := "AAAAAAAA"
		if strings.Contains(c.query, "pcstore") {
			id = "every-where"
		}
		r := w.get("/catalog/prices?ids=" + id + c.query).want(200)
		if got := r.keysOf("data", "items", "regions"); !slices.Equal(got, c.want) {
			t.Errorf("%q: regions %v, want %v", c.query, got, c.want)
		}
		r.is("data.items.0.regionsCount", fmt.Sprint(len(c.want)))
	}
	both := w.get("/catalog/prices?ids=every-where,AAAAAAAA&regions=PL,TR")
	both.is("regions", `["TUR","PL","TR"]`)
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

func TestCheapest(t *testing.T) {
	for _, c := range []struct {
		name     string
		offers   []offer
		want     string
		compared int
	}{
		{"lowest in dollars, not in number", []offer{{"UA", number("UAH", 41300)}, {"PL", number("PLN", 818)}}, `{"region":"PL","text":"8,18 zł","usd":2}`, 2},
		{"a tie goes to the first in answer order", []offer{{"UA", number("UAH", 4130)}, {"TR", number("TRY", 3450)}}, `{"region":"UA","text":"41,30 ₴","usd":1}`, 2},
		{"a trial never counts", []offer{{"UA", number("UAH", 0, trial)}}, "null", 0},
		{"a trial beside a price", []offer{{"UA", number("UAH", 0, trial)}, {"TR", number("TRY", 3450)}}, `{"region":"TR","text":"₺34,50","usd":1}`, 1},
		{"subscribers' only if nothing else", []offer{{"UA", number("UAH", 0, subscribers)}, {"TR", number("TRY", 3450)}}, `{"region":"TR","text":"₺34,50","usd":1}`, 1},
		{"subscribers' alone", []offer{{"UA", number("UAH", 4130, subscribers)}}, `{"region":"UA","text":"41,30 ₴","usd":1}`, 1},
		{"doubtful only if nothing else", []offer{{"UA", number("UAH", 1, doubtful)}, {"TR", number("TRY", 3450)}}, `{"region":"TR","text":"₺34,50","usd":1}`, 1},
		{"doubtful beside a price without rate", []offer{{"UA", number("UAH", 4130, doubtful)}, {"TR", number("KZT", 1)}}, `{"region":"UA","text":"41,30 ₴","usd":1}`, 1},
		{"texts cannot be compared", []offer{{"UA", onlyText("UAH", "Скоро")}}, "null", 0},
		{"not for sale", []offer{{"UA", nil}}, "null", 0},
		{"free", []offer{{"UA", number("UAH", 0)}, {"TR", number("TRY", 0)}}, `{"region":"UA","text":"Безкоштовно","usd":0}`, 2},
		{"subscribers' and doubtful only", []offer{{"UA", number("UAH", 4130, subscribers)}, {"TR", number("TRY", 6900, doubtful)}, {"PL", nil}}, `{"region":"UA","text":"41,30 ₴","usd":1}`, 2},
		{"without a rate, a number or a price", []offer{{"UA", number("KZT", 1)}, {"TR", number("TRY", 3450)}, {"PL", onlyText("PLN", "Wkrótce")}, {"IN", nil}}, `{"region":"TR","text":"₺34,50","usd":1}`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSample()
			s.console(catalog.Card{ID: "AAAAAAAA", Type: catalog.Game, Title: "A"}, "P", "", c.offers...)
			worldOf(t, s).get("/catalog/prices?ids=AAAAAAAA").want(200).is("data.items.0.cheapest", c.want).
				is("data.items.0.comparedRegions", strconv.Itoa(c.compared)).is("data.items.0.regionsCount", strconv.Itoa(len(c.offers)))
		})
	}
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

func TestEndedDiscount(t *testing.T) {
	s := newSample()
	end := catalog.Millis(start + hour)
	s.console(catalog.Card{ID: "AAAAAAAA", Type: catalog.Game, Title: "A"}, "P", "",
		offer{"UA", number("UAH", 10000, off(5000, end), subscribers)})
	w := worldOf(t, s)
	prices, card := "/catalog/prices?ids=AAAAAAAA&include=editions", "/catalog/games/AAAAAAAA"
	const row, edition = "data.items.0.regions.UA.", "data.items.0.regions.UA.editions.0."

	w.now.Store(int64(end) - 1)
	w.get(prices).is(row+"current", "5000").is(row+"discountPercent", "50").is(row+"isSubPlus", "true").is(edition+"current", "5000")
	w.get(card).is("data.price.discount", `{"endsAt":"2026-11-20T08:00:12.345Z","originalPrice":10000,"percentage":50}`)

	w.now.Store(int64(end))
	w.get(prices).is(row+"current", "10000").is(row+"currentText", `"100,00 ₴"`).is(row+"discountPercent", "null").
		is(row+"discountLabel", "null").is(row+"discountEndAt", "null").is(row+"isSubPlus", "false").is(row+"usd", "2.42").
		is(edition+"current", "10000").is(edition+"isSubPlus", "false")
	w.get(card).is("data.price", `{"currency":"UAH","formatted":"100,00 ₴","value":10000}`)
}

func TestEditionsAreTheTwelveCheapest(t *testing.T) {
	s := newSample()
	for i := range 15 {
		price := number("UAH", money.Amount(1000*(20-i)))
		if i == 3 {
			price = onlyText("UAH", "?")
		}
		s.console(catalog.Card{ID: fmt.Sprintf("E%07d", i), Family: "f", Type: catalog.EditionType, Title: fmt.Sprint("A ", i)},
			fmt.Sprint("P", i), fmt.Sprint("Edition ", i), offer{"UA", price})
	}
	r := worldOf(t, s).get("/catalog/prices?ids=E0000000&include=editions").want(200)
	var got []string
	for _, e := range r.at("data.items.0.regions.UA.editions").([]any) {
		got = append(got, e.(map[string]any)["id"].(string))
	}
	var want []string
	for i := 14; i >= 3; i-- { // E0000003 has no number: it is left out
		if i != 3 {
			want = append(want, fmt.Sprintf("E%07d", i))
		}
	}
	want = append(want, "E0000002")
	if !slices.Equal(got, want) {
		t.Errorf("editions %v, want %v", got, want)
	}
	r.is("data.items.0.regions.UA.variantsCount", "15")
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

func TestEditionsOfOtherTypes(t *testing.T) {
	w := newWorld(t)
	for id, want := range map[string]string{pass: `["` + pass + `"]`, demo: `["` + demo + `"]`, plus: `["` + plus + `"]`,
		trilogy: `["` + trilogy + `"]`, "star-forge": `["sf-base","sf-gold"]`} {
		r := w.get("/catalog/prices?ids=" + id + "&include=editions&regions=UA").want(200)
		key := "UA"
		if id == "star-forge" {
			key = "UKR"
		}
		var got []string
		for _, e := range r.at("data.items.0.regions." + key + ".editions").([]any) {
			got = append(got, e.(map[string]any)["id"].(string))
		}
		if text, _ := json.Marshal(got); string(text) != want {
			t.Errorf("%s: editions %s, want %s", id, text, want)
		}
	}
}

func TestIDsThatLeadToOneGame(t *testing.T) {
	newWorld(t).get("/catalog/prices?ids=star-forge-old,"+forge+",STAR-FORGE,"+strings.ToLower(forge)).want(200).
		is("counts", `{"notFound":0,"requested":3,"resolved":2}`).
		is("data.items.0.id", `"star-forge"`).is("data.items.1.id", `"`+forge+`"`).is("data.items.2", "null")
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
			w := newWorld(t, func(w *world, _ *api.Config) {
				c.state.Platform = catalog.ConsoleStore
				m := sampleManifest(t)
				m.Platforms = []index.PlatformState{c.state}
				w.live.Swap(index.NewView(c.catalog.open(t), m))
			})
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
	snap, err := sampleSnapshot()
	must(t, err)
	w.live.Swap(index.NewView(snap.WithoutLows(), sampleManifest(t)))
	w.get(lowsOfForge).want(200).is("data.items.0.regions.UA.lows", "null")
}

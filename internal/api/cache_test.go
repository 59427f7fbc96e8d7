package api_test

import (
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// taggedPaths are GETs of every kind that carries an entity tag.
func taggedPaths() []string {
	return []string{
		"/catalog/exchange-rates", "/catalog/platforms", "/catalog/search?q=star", "/catalog/suggest?q=star",
		"/catalog/games/" + forge, "/catalog/pcstore/games/star-forge", "/catalog/prices?ids=" + forge + ",nope",
		"/catalog/history?ids=" + forge + ",nope",
		"/catalog/games/" + forge + "?currency=UAH", "/catalog/pcstore/games/star-forge?currency=UAH", "/catalog/prices?ids=" + forge + ",nope&currency=UAH",
		"/catalog/browse?limit=2&facets=types", "/catalog/deals",
		"/catalog/games/" + forge + "?lang=uk", "/catalog/prices?ids=" + forge + "&lang=uk",
	}
}

func TestEntityTags(t *testing.T) {
	w := newWorld(t, unlimited)
	for _, path := range taggedPaths() {
		t.Run(path, func(t *testing.T) {
			first := w.get(path).want(200)
			tag := first.header.Get("ETag")
			if !strings.HasPrefix(tag, `W/"`) || first.header.Get("Cache-Control") != "private, no-cache" ||
				first.header.Get("Vary") != "Accept-Encoding, Authorization, X-Api-Key" {
				t.Fatalf("headers %v", first.header)
			}
			w.now.Add(1000)
			again := w.get(path, header("Accept-Encoding", "zstd"), header("X-Request-Id", "other")).want(200)
			if got := again.header.Get("ETag"); got != tag {
				t.Errorf("the tag changed with meta or coding: %s, then %s", tag, got)
			}
			for _, sent := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*"} {
				same := w.get(path, header("If-None-Match", sent)).want(304)
				if same.header.Get("ETag") != tag || same.header.Get("X-RateLimit-Limit-Day") == "" || same.header.Get("Vary") != first.header.Get("Vary") {
					t.Errorf("If-None-Match %s: headers %v", sent, same.header)
				}
			}
			w.get(path, header("If-None-Match", `W/"other"`)).want(200)
			w.do("HEAD", path, "", header("If-None-Match", tag)).want(304)
		})
	}
}

func TestAnswersWithoutTags(t *testing.T) {
	w := newWorld(t, unlimited)
	body := `{"ids":["` + forge + `"]}`
	for name, r := range map[string]reply{
		"health": w.get("/health"), "account": w.get("/account/me"), "an error": w.get("/catalog/search"),
		"a 404": w.get("/catalog/games/x"), "POST": w.post(body, header("If-None-Match", "*")).want(200),
	} {
		if r.header.Get("ETag") != "" || r.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: ETag %q, Cache-Control %q", name, r.header.Get("ETag"), r.header.Get("Cache-Control"))
		}
	}
}

// TestTagsFollowData changes one thing at a time in the data behind the API,
// and checks which tags change.
func TestTagsFollowData(t *testing.T) {
	all := taggedPaths()
	rates := all[0]
	platforms, search, suggest, card, pc, prices, past := all[1], all[2], all[3], all[4], all[5], all[6], all[7]
	cardTo, pcTo, pricesTo := all[8], all[9], all[10] // in another currency
	deals := all[12]
	cardIn, pricesIn := all[13], all[14] // in a language
	for _, c := range []struct {
		name    string
		change  func(*world)
		changed []string
	}{
		{"a rebuild of the same data", func(w *world) {
			m := sampleManifest(t)
			m.Seq, m.BuiltAt = m.Seq+1, m.BuiltAt+1
			w.live.Swap(index.NewView(sampleCatalog().open(t), m))
		}, nil},
		{"other rates", func(w *world) {
			m := sampleManifest(t)
			m.Rates, _ = money.ParseRates([]byte(`{"base":"USD","rates":{"UAH":42},"updatedAt":"2026-11-20T07:00:00Z"}`))
			w.live.Swap(index.NewView(sampleCatalog().open(t), m))
		}, []string{rates, prices, cardTo, pcTo, pricesTo, deals, pricesIn}},
		{"a platform's state", func(w *world) {
			m := sampleManifest(t)
			m.Platforms[0].Status = "outage"
			w.live.Swap(index.NewView(sampleCatalog().open(t), m))
		}, []string{platforms, prices, past, pricesTo}}, // the last three name the store beside notFound
		{"a sweep that ended", func(w *world) {
			m := sampleManifest(t)
			m.Platforms[0].Freshness[2].LastSweep++
			w.live.Swap(index.NewView(sampleCatalog().open(t), m))
		}, []string{platforms}},
		{"a sweep of a region without listings", func(w *world) {
			m := sampleManifest(t)
			m.Platforms[0].Freshness[0].LastSweep++
			w.live.Swap(index.NewView(sampleCatalog().open(t), m))
		}, nil},
		{"a discount that ends", func(w *world) { w.now.Store(start + 2*day) },
			[]string{search, suggest, card, pc, prices, past, cardTo, pcTo, pricesTo, deals, cardIn, pricesIn}},
		{"the price of a PC game", func(w *world) {
			s := sampleCatalog()
			for i := range s.in.Entries {
				if s.in.Entries[i].Product == "sf-base" && s.in.Entries[i].Region == catalog.MustRegion("UA") {
					s.in.Entries[i].Price = number("UAH", 89800)
				}
			}
			w.live.Swap(index.NewView(s.open(t), sampleManifest(t)))
		}, []string{search, suggest, pc, pcTo}},
		{"a title in another language", func(w *world) {
			s := sampleCatalog()
			s.in.Cards[0].Texts[1].Title = "Кузница"
			w.live.Swap(index.NewView(s.open(t), sampleManifest(t)))
		}, []string{search, suggest, card, prices, past, cardTo, pricesTo, all[11], deals, cardIn, pricesIn}},
		{"when games were added", func(w *world) {
			s := sampleCatalog()
			for i := range s.in.Cards {
				s.in.Cards[i].FirstSeen = 5
			}
			w.live.Swap(index.NewView(s.open(t), sampleManifest(t)))
		}, []string{all[11]}},
		{"a former id that moved", func(w *world) {
			s := sampleCatalog()
			s.in.Moved["nope"] = []string{forge}
			w.live.Swap(index.NewView(s.open(t), sampleManifest(t)))
		}, []string{prices, past, pricesTo}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, unlimited)
			before := map[string]string{}
			for _, path := range all {
				before[path] = w.get(path).want(200).header.Get("ETag")
			}
			c.change(w)
			for _, path := range all {
				expected := false
				for _, p := range c.changed {
					expected = expected || p == path
				}
				if got := w.get(path).want(200).header.Get("ETag") != before[path]; got != expected {
					t.Errorf("%s: tag changed: %v, want %v", path, got, expected)
				}
			}
		})
	}
}

func TestParametersEnterTheTag(t *testing.T) {
	w := newWorld(t, unlimited)
	seen := map[string]string{}
	for _, path := range []string{
		"/catalog/search?q=star", "/catalog/search?q=star+f", "/catalog/search?q=star+forge+zebra", "/catalog/search?q=star&limit=9", "/catalog/search?q=star&offset=1",
		"/catalog/search?q=star&types=game", "/catalog/search?q=star&platforms=PS5", "/catalog/search?q=star&includeRelated=1", "/catalog/search?q=star&includeMembers=1", "/catalog/suggest?q=star",
		"/catalog/prices?ids=" + forge, "/catalog/prices?ids=" + forge + ",x", "/catalog/prices?ids=" + forge + ",y",
		"/catalog/prices?ids=" + forge + "," + deluxe, "/catalog/prices?ids=" + deluxe + "," + forge,
		"/catalog/prices?ids=" + forge + "&regions=UA", "/catalog/prices?ids=" + forge + "&regions=TR,UA",
		"/catalog/prices?ids=" + forge + "&regions=UA,TR", "/catalog/prices?ids=" + forge + "&regions=all",
		"/catalog/prices?ids=" + forge + "&include=fx", "/catalog/prices?ids=" + forge + "&platform=consolestore",
		"/catalog/prices?ids=star-forge", "/catalog/prices?ids=star-forge,star-forge-old",
		"/catalog/prices?ids=" + forge + "&currency=USD", "/catalog/prices?ids=" + forge + "&currency=EUR",
		"/catalog/games/" + forge, "/catalog/games/" + forge + "?currency=USD", "/catalog/games/" + forge + "?currency=EUR",
		"/catalog/pcstore/games/star-forge", "/catalog/pcstore/games/star-forge?currency=USD",
		"/catalog/games/" + forge + "?lang=en", "/catalog/games/" + forge + "?lang=fr", "/catalog/pcstore/games/star-forge?lang=en",
		"/catalog/search?q=star&lang=en", "/catalog/search?q=star&lang=fr", "/catalog/suggest?q=star&lang=en", "/catalog/browse", "/catalog/browse?lang=en",
		"/catalog/browse?limit=1", "/catalog/browse?limit=2", "/catalog/browse?facets=types", "/catalog/browse?facets=genres",
		"/catalog/browse?types=dlc", "/catalog/browse?sort=title&limit=1", "/catalog/browse?platform=pcstore", "/catalog/deals", "/catalog/deals?lang=en",
		"/catalog/deals?sort=title", "/catalog/deals?currency=EUR", "/catalog/deals?currency=USD", "/catalog/deals?regions=UA,TR", "/catalog/deals?regions=TR,UA", "/catalog/deals?regions=TR",
		"/catalog/prices?ids=" + forge + "&lang=en", "/catalog/prices?ids=" + forge + "&lang=fr", "/catalog/history?ids=" + forge, "/catalog/history?ids=" + forge + "&lang=en",
	} {
		tag := w.get(path).want(200).header.Get("ETag")
		if other, ok := seen[tag]; ok {
			t.Errorf("%s and %s have the same tag", path, other)
		}
		seen[tag] = path
	}
}

// TestSpellingsHaveOneTag checks that a country does not change the tag of a language, nor
// case that of a currency, and that empty ones change nothing.
func TestSpellingsHaveOneTag(t *testing.T) {
	w := newWorld(t, unlimited)
	for _, path := range []string{"/catalog/prices?ids=" + forge, "/catalog/games/" + forge + "?", "/catalog/search?q=star", "/catalog/browse?limit=3", "/catalog/history?ids=" + forge} {
		tag := func(more string) string { return w.get(path + more).want(200).header.Get("ETag") }
		if tag("&lang=en-GB") != tag("&lang=%20EN") {
			t.Errorf("%s: en-GB and EN have different tags", path)
		}
		if tag("&currency=EUR") != tag("&currency=%20eur") {
			t.Errorf("%s: EUR and eur have different tags", path)
		}
		if tag("") != tag("&lang=&currency=") {
			t.Errorf("%s: an empty language or currency changes the tag", path)
		}
	}
}

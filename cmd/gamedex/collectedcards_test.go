package main

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/testing/storesim"
)

// requestRecorder records every request, and can answer in place of the stores.
type requestRecorder struct {
	next    http.Handler
	instead http.HandlerFunc // nil: the stores answer

	mu   sync.Mutex
	seen []*http.Request
}

func (w *requestRecorder) wrap(next http.Handler) http.Handler {
	w.next = next
	return w
}

// ServeHTTP implements http.Handler.
func (w *requestRecorder) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.seen = append(w.seen, r)
	w.mu.Unlock()
	if w.instead != nil {
		w.instead(rw, r)
		return
	}
	w.next.ServeHTTP(rw, r)
}

// requests returns the recorded requests, other than those for robots.txt,
// whose address contains a text.
func (w *requestRecorder) requests(text string) []*http.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	var some []*http.Request
	for _, r := range w.seen {
		address, err := url.QueryUnescape(r.URL.String())
		if err == nil && r.URL.Path != "/robots.txt" && strings.Contains(address, text) {
			some = append(some, r)
		}
	}
	return some
}

// TestCollectedCards checks that Russian names find games, that pages of
// offers find their cards, that countries that share prices have rows, and that
// freshness is reported.
func TestCollectedCards(t *testing.T) {
	t.Parallel()
	recorder := &requestRecorder{}
	world := simulate(t, storesim.Config{Seed: 52, ConsoleGames: 60, PCGames: 60, Regions: regionsOf("UA", "TR", "PL", "IN", "US", "DE", "FR")}, recorder.wrap)
	shop := world.newShop(t, "--active-regions", "UA,TR,PL,IN,DE,FR")
	began := time.Now().Add(-time.Second)
	world.sweep(t, shop.dir, "--active-regions", "UA,TR,PL,IN,DE,FR")
	swept := time.Now().Add(time.Second)
	listings := listingsOf(t, shop.dir)
	user := shop.user(t)
	user.eventually("/catalog/platforms", func(a answer) bool { // it may take a minute
		for i := range catalog.Platforms() {
			for _, region := range world.regions {
				if a.at(fmt.Sprintf("data.platforms.%d.freshness.%s.lastSweepAt", i, strings.ToLower(region.String()))) == nil {
					return false
				}
			}
		}
		return a.status == 200
	})

	t.Run("a Russian name finds the game", func(t *testing.T) { russianNames(t, shop.user(t), listings) })
	t.Run("an offer's page finds its card", func(t *testing.T) { ownPages(t, shop.user(t), listings) })
	t.Run("countries share prices", func(t *testing.T) { wantSharedPrices(t, recorder, listings) })
	t.Run("freshness", func(t *testing.T) { wantFreshness(t, shop.user(t), began, swept) })
	t.Run("no texts and no pictures", func(t *testing.T) { wantNoProse(t, listings) })
	t.Run("texts and pictures on request", func(t *testing.T) {
		before := len(recorder.requests(""))
		world.sweep(t, shop.dir, "--active-regions", "UA,TR,PL,IN,DE,FR", "--collect-texts", "--collect-images", "--region", "ua")
		wantRequestedProse(t, listingsOf(t, shop.dir))
		if len(recorder.requests("")) == before {
			t.Error("no request was made")
		}
		if pictures := recorder.requests(".jpg"); len(pictures) > 0 {
			t.Errorf("a picture was fetched: %s", pictures[0].URL)
		}
	})
}

func russianNames(t *testing.T, u *apiUser, listings []catalog.Listing) {
	tried := 0
	for _, l := range listings {
		i := slices.IndexFunc(l.Facts.Titles, func(t catalog.LocalTitle) bool { return strings.HasPrefix(t.Locale, "ru") })
		if i < 0 || l.Region != catalog.MustRegion("UA") || l.Facts.Titles[i].Title == l.Facts.Title {
			continue
		}
		own := u.get("/catalog/search?limit=100&platform=consolestore&q="+url.QueryEscape(l.Product)).want(200).texts("data.results", "id")
		found := u.get("/catalog/search?limit=100&platform=consolestore&q="+url.QueryEscape(l.Facts.Titles[i].Title)).want(200).texts("data.results", "id")
		if len(own) == 0 || !slices.Contains(found, own[0]) {
			t.Errorf("%q finds %v, not %v (%s)", l.Facts.Titles[i].Title, found, own, l.Facts.Title)
		}
		if tried++; tried == 20 {
			break
		}
	}
	if tried < 5 {
		t.Errorf("only %d games have a distinct Russian name", tried)
	}
}

func ownPages(t *testing.T, u *apiUser, listings []catalog.Listing) {
	tried := 0
	for _, l := range listings {
		for _, page := range l.Facts.Aliases {
			u.get("/catalog/pcstore/games/"+page).want(200).is("data.slug", fmt.Sprintf("%q", l.Facts.Slug))
			tried++
		}
		if tried >= 20 {
			break
		}
	}
	if tried < 5 {
		t.Errorf("only %d offers have a page of their own", tried)
	}
}

// wantSharedPrices checks that France has the prices of Germany without a request
// for France.
func wantSharedPrices(t *testing.T, recorder *requestRecorder, listings []catalog.Listing) {
	german := make(map[string]catalog.Price)
	for _, l := range listings {
		if l.Platform == catalog.PCStore && l.Region == catalog.MustRegion("DE") && l.Price != nil {
			german[l.Product] = *l.Price
		}
	}
	same := 0
	for _, l := range listings {
		if l.Platform != catalog.PCStore || l.Region != catalog.MustRegion("FR") || l.Price == nil {
			continue
		}
		if price, both := german[l.Product]; both && price != *l.Price {
			t.Errorf("%s costs %+v in France, %+v in Germany", l.Product, *l.Price, price)
		} else if both {
			same++
		}
	}
	if same < 50 {
		t.Errorf("only %d prices of France", same)
	}
	if requests := recorder.requests(`"country":"FR"`); len(requests) > 0 {
		t.Errorf("France was requested: %s", requests[0].URL)
	}
	if requests := recorder.requests(`"country":"DE"`); len(requests) == 0 {
		t.Error("Germany was not requested")
	}
}

// wantFreshness checks that each collected region reports when it was seen.
func wantFreshness(t *testing.T, u *apiUser, began, swept time.Time) {
	a := u.get("/catalog/platforms").want(200)
	for i, platform := range catalog.Platforms() {
		at := fmt.Sprintf("data.platforms.%d.", i)
		a.is(at+"id", fmt.Sprintf("%q", platform))
		regions := a.at(at + "regions").([]any)
		if len(regions) != 7 {
			t.Errorf("%s has regions %v", platform, regions)
		}
		for _, region := range regions {
			at := at + "freshness." + region.(string)
			var times []time.Time
			for _, name := range []string{"oldestSeenAt", "medianSeenAt", "lastSweepAt"} {
				seen, err := time.Parse(time.RFC3339Nano, a.text(at+"."+name))
				if err != nil || seen.Before(began) || seen.After(swept) {
					t.Errorf("%s.%s is %v (%v), not between %v and %v", at, name, seen, err, began, swept)
				}
				times = append(times, seen)
			}
			if times[1].Before(times[0]) {
				t.Errorf("%s: the median %v is before the oldest %v", at, times[1], times[0])
			}
		}
	}
	if again := u.get("/catalog/platforms", header("If-None-Match", a.header.Get("ETag"))); again.status != 304 {
		t.Errorf("repeated: status %d", again.status)
	}
}

// wantNoProse checks that the API serves no descriptions and no links to
// pictures.
func wantNoProse(t *testing.T, listings []catalog.Listing) {
	for _, l := range listings {
		if l.Prose.Description != "" || l.Prose.Cover != "" || l.Prose.Logo != "" || len(l.Prose.Screenshots) > 0 {
			t.Fatalf("%v has %+v", l.Key, l.Prose)
		}
	}
}

// wantRequestedProse checks that both stores have descriptions and links to
// pictures.
func wantRequestedProse(t *testing.T, listings []catalog.Listing) {
	texts, pictures := map[catalog.Platform]int{}, map[catalog.Platform]int{}
	for _, l := range listings {
		if l.Prose.Description != "" {
			texts[l.Platform]++
		}
		if l.Prose.Cover != "" {
			pictures[l.Platform]++
		}
	}
	for _, p := range catalog.Platforms() {
		if texts[p] == 0 || pictures[p] == 0 {
			t.Errorf("%s: %d descriptions, %d pictures", p, texts[p], pictures[p])
		}
	}
}

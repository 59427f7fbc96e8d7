package dashboard_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/money"
)

// sightings are what a region showed, by how many days ago.
type sightings []struct {
	daysAgo int
	price   *catalog.Price
}

// TestSinceWhenAPriceStands checks that the table of a game says when the unbroken run of each price
// began, and where that is not known, when the price was seen first.
func TestSinceWhenAPriceStands(t *testing.T) {
	t.Parallel()
	dollars := func(base, current money.Amount) *catalog.Price {
		return &catalog.Price{Currency: "USD", Base: base, Current: current, DiscountPercent: money.DiscountPercent(base, current)}
	}
	full := dollars(5000, 5000)
	subscribers := dollars(5000, 4000)
	subscribers.Subscription = true
	now := time.Now()
	batches := make([][]catalog.Listing, 4)
	want := map[string]string{}
	for _, tt := range []struct {
		region, country, word string
		daysAgo               int // that the page names
		seen                  sightings
	}{
		{"UA", "Ukraine", "since", 200, sightings{{300, dollars(6000, 6000)}, {200, dollars(6000, 5000)}, {3, full}}}, // the base fell to the price
		{"TR", "Turkey", "since", 10, sightings{{300, full}, {20, dollars(5000, 2500)}, {10, full}}},
		{"PL", "Poland", "since", 5, sightings{{300, full}, {20, nil}, {5, full}}},
		{"IN", "India", "checked on", 0, sightings{{0, full}}},
		{"DE", "Germany", "checked on", 10, sightings{{10, full}}},
		{"KZ", "Kazakhstan", "since", 4, sightings{{10, dollars(6000, 6000)}, {4, full}}},
		{"US", "United States", "since", 100, sightings{{100, full}}},
		{"FR", "France", "since", 730, sightings{{730, full}}},
		{"IT", "Italy", "since", 400, sightings{{730, dollars(6000, 6000)}, {400, full}}},
		{"GB", "United Kingdom", "checked on", 10, sightings{{10, dollars(5000, 2500)}}},
		{"JP", "Japan", "since", 5, sightings{{300, full}, {5, dollars(5000, 2500)}}},
		{"ES", "Spain", "checked on", 4, sightings{{730, full}, {4, subscribers}}},
	} {
		for i, s := range tt.seen {
			l := evilListing(catalog.MustRegion(tt.region), catalog.MillisOf(now.AddDate(0, 0, -s.daysAgo)))
			l.Price = s.price
			batches[i] = append(batches[i], l)
		}
		at := now.UTC().AddDate(0, 0, -tt.daysAgo)
		want[tt.country] = fmt.Sprint(tt.word, at.Format(" 2 Jan 2006"))
	}
	view := viewOf(t, batches)
	v := explorer(t, func(w *world, _ *dashboard.Config) { w.live.Swap(view) })
	page := v.get("/en/games/pcstore/evil")
	page.wants(t, http.StatusOK)
	rows := tableRows(t, page.body)
	for country, text := range want {
		i := slices.IndexFunc(rows, func(row string) bool { return strings.HasPrefix(row, country) })
		if i < 0 || !strings.HasSuffix(rows[i], text) {
			t.Errorf("%s: want %q in %q", country, text, rows)
		}
	}
	for region, country := range map[string]string{"gb": "United Kingdom", "jp": "Japan"} {
		hasAll(t, shownText(v.get("/en/deals/"+region).body), "· "+want[country])
	}
	answer := v.get("/answers/prices?platform=pcstore&ids=evil&regions=UA&include=lows")
	answer.wants(t, http.StatusOK).lacks(t, `"since":`) // no more than clients of the API get
}

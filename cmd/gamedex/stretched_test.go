package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/history"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/historytest"
)

// cell divides the lengths of stretched days.
const cell = catalog.Millis(20 * time.Minute / time.Millisecond)

// stretched returns the times at which the days of the ledger would have begun if the last
// one lasted for 26 hours until now, the one before for 40 days, and so on. So there are
// prices for the windows of lows and for references, and glitches of less than an hour.
func (l *ledger) stretched() []catalog.Millis {
	lengths := []catalog.Millis{26 * 3, 40 * 24 * 3, 1, 3 * 24 * 3, 9 * 24 * 3, 31 * 24 * 3, 2, 12 * 3}
	starts := make([]catalog.Millis, len(l.days))
	at := catalog.MillisOf(time.Now()) / cell
	for i := range starts {
		at -= lengths[i%len(lengths)]
		starts[len(starts)-1-i] = at * cell
	}
	return starts
}

// startOf returns when the stretched day began on which something happened.
func (l *ledger) startOf(at catalog.Millis, starts []catalog.Millis) catalog.Millis {
	for i, day := range l.days {
		if at <= day.end {
			return starts[i]
		}
	}
	return starts[len(starts)-1]
}

// stretch starts a service with the listings and the history that were collected, as if each
// day had lasted as long as starts say.
func (l *ledger) stretch(t *testing.T, world *simulated, collected string, starts []catalog.Millis) *shop {
	t.Helper()
	var lines, past bytes.Buffer
	listings := feed.NewWriter(&lines)
	for _, line := range listingsOf(t, collected) {
		for _, at := range []*catalog.Millis{&line.ObservedAt, &line.FirstSeenAt, &line.PricedAt} {
			if *at != 0 {
				*at = l.startOf(*at, starts)
			}
		}
		if err := listings.Write(&line); err != nil {
			t.Fatal(err)
		}
	}
	series := feed.NewHistoryWriter(&past)
	for key, steps := range historiesOf(t, collected) {
		var kept []history.Step
		for _, s := range steps {
			s.At = l.startOf(s.At, starts)
			kept = history.Record(kept, s)
		}
		if err := series.Write(history.Series{Key: key, Steps: kept}); err != nil {
			t.Fatal(err)
		}
	}
	s := &shop{dir: t.TempDir()}
	must(t, s.dir, lines.String(), "import", "-")
	must(t, s.dir, past.String(), "history", "import", "-")
	must(t, s.dir, string(world.world.Rates().AppendJSON(nil)), "rates", "import", "-")
	_, s.token = newKey(t, s.dir, highLimits...)
	s.server = start(t, s.dir)
	s.healthy()
	return s
}

// steps returns what a listing showed from the start of each day on.
func (l *ledger) steps(key catalog.Key, starts []catalog.Millis) (steps []history.Step) {
	for i, day := range l.days {
		s, sold := day.shown[key]
		if !sold && len(steps) == 0 {
			continue
		}
		if !sold {
			s = history.StepGone(0)
		}
		s.At = starts[i]
		steps = append(steps, s)
	}
	return steps
}

// compareLows fails the test unless the lows and verdicts of all cards are those that a
// brute force finds in the ledger.
func (l *ledger) compareLows(t *testing.T, s *shop, starts []catalog.Millis) {
	t.Helper()
	await.That(t, "the windows of today to be published", func() bool { return viewOf(t, s.dir).LowsDay() == time.Now().UTC().Truncate(24*time.Hour).UnixMilli() })
	cards := pricedCards(t, s)
	if diff := l.differentLows(cards, productsOf(t, s.dir), starts); diff != "" {
		t.Errorf("lows (-ledger +answer):\n%.4000s", diff)
	}
	verdicts, lower, again := map[string]int{}, 0, 0
	for _, c := range cards {
		for _, r := range c.Regions {
			if r.Lows == nil {
				continue
			}
			if r.Lows.Real != nil {
				verdicts[r.Lows.Real.Verdict]++
			}
			if r.Lows.Meets == nil || *r.Lows.Meets != "allTime" {
				lower++
			}
			if low := r.Lows.AllTime; low.Times > 1 || low.LastAt != nil {
				again++
			}
		}
	}
	t.Logf("the lows of %d cards agree; verdicts %v, %d prices above their low, %d lows that ended", len(cards), verdicts, lower, again)
	if verdicts["real"] == 0 || lower == 0 || again == 0 {
		t.Error("the stretched days show too little")
	}
}

// differentLows returns the first differences.
func (l *ledger) differentLows(cards []*pricedCard, products map[string]catalog.Key, starts []catalog.Millis) string {
	now := catalog.MillisOf(time.Now()) / cell * cell
	want, got := map[string]any{}, map[string]any{}
	for _, c := range cards {
		released, _ := time.Parse(time.DateOnly, c.Meta.ReleaseDate)
		at := max(catalog.MillisOf(released), 0)
		for _, r := range c.Regions {
			place := c.ID + " " + r.Alpha2
			key, ok := products[place]
			if !ok {
				continue
			}
			want[place], got[place] = shownLows(l.steps(key, starts), at, now), r.Lows
		}
	}
	return firstDifferences(want, got)
}

// shownLows returns what the steps say of the last one, which is not one of another currency.
func shownLows(steps []history.Step, released, now catalog.Millis) *historytest.Lows {
	last := &steps[len(steps)-1]
	for _, s := range slices.Backward(steps) {
		if s.State == history.Priced {
			if last.State == history.Text && s.Currency != last.Currency {
				return nil
			}
			break
		}
	}
	return historytest.Shown(historytest.Summarize(steps, cell, released, now))
}

// productsOf returns the listing of each row that a service serves, by card and region. Rows
// of demos are left out: they are trials, whatever their listings are.
func productsOf(t *testing.T, dir string) map[string]catalog.Key {
	t.Helper()
	products := map[string]catalog.Key{}
	view := viewOf(t, dir)
	for i := range view.Len() {
		c := view.Card(i)
		for j := range c.Rows().Len() {
			row := c.Rows().At(j)
			if region := view.Region(row.Region); c.Class() != catalog.DemoClass {
				products[c.ID()+" "+region.Alpha2] = catalog.Key{Platform: c.Platform(), Region: region.Code, Product: row.Product()}
			}
		}
	}
	return products
}

// pricedCard is what bulk prices show of a card with past prices.
type pricedCard struct {
	ID      string
	Meta    struct{ ReleaseDate string }
	Regions map[string]struct {
		Alpha2 string
		Lows   *historytest.Lows
	}
}

// pricedCards returns what bulk prices show of all cards in all regions.
func pricedCards(t *testing.T, s *shop) (cards []*pricedCard) {
	t.Helper()
	for some := range slices.Chunk(ids(t, s.dir), 200) {
		body, err := json.Marshal(map[string]any{"ids": some, "regions": "all", "include": "lows,meta"})
		if err != nil {
			t.Fatal(err)
		}
		got := decoded[struct{ Data struct{ Items []*pricedCard } }](t, string(unchecked(t, s).post(string(body)).want(200).body))
		cards = append(cards, got.Data.Items...)
	}
	return cards
}

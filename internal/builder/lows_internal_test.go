package builder

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/api/bulk"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/selection"
	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/money"
	ct "gamedex/internal/testing/catalogtest"
	"gamedex/internal/testing/historytest"
)

const (
	minute = catalog.Millis(60_000)
	day    = 24 * 60 * minute
)

// readSeries is a source that notes which series were read.
type readSeries struct {
	source
	all  int           // how often all were
	keys []catalog.Key // of the others
}

func (s *readSeries) Read(ctx context.Context, fn func(Reading) error) error {
	return s.source.Read(ctx, func(r Reading) error { return fn(notedReading{r, s}) })
}

type notedReading struct {
	Reading
	to *readSeries
}

func (r notedReading) AllSeries(fn func(history.Series) error) error {
	r.to.all++
	return r.Reading.AllSeries(fn)
}

func (r notedReading) Series(keys []catalog.Key, fn func(history.Series) error) error {
	r.to.keys = append(r.to.keys, keys...)
	return r.Reading.Series(keys, fn)
}

// steppedAt is a stepped builder with a clock.
type steppedAt struct {
	*stepped
	series *readSeries
	now    catalog.Millis
}

func newSteppedAt(t *testing.T, db source, now catalog.Millis) *steppedAt {
	s := &steppedAt{stepped: newStepped(t, db, override.Set{}), series: &readSeries{source: db}, now: now}
	s.cfg.Database = s.series
	s.cfg.Now = func() time.Time { return s.now.Time() }
	s.cfg.Clock = s.cfg.Now
	return s
}

// look is one check of the builder, which builds what is due.
func (s *steppedAt) look() {
	s.t.Helper()
	for range 4 { // what is noticed now is built a little later
		if err := s.check(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
		s.now += 200
	}
}

func (s *steppedAt) view() *index.View {
	s.t.Helper()
	return openView(s.t, s.cfg.Bucket)
}

// TestSeriesThatAreRead checks that the builder reads all series once, then those of changed
// listings, and all again on another day, without a change of catalog or prices.
func TestSeriesThatAreRead(t *testing.T) {
	t.Parallel()
	db := openDatabase(t)
	priced := func(region string, amount money.Amount, at catalog.Millis) catalog.Listing {
		l := ct.Console(region, "EP1-FORGE", ct.Family("1"), ct.Title("Star Forge"), ct.Price("UAH", amount))
		l.ObservedAt = at
		return l
	}
	const start = 20_000*day + 12*60*minute
	save(t, db, priced("UA", 99900, start-50*day), priced("TR", 99900, start-50*day))
	save(t, db, priced("UA", 79900, start-9*day))
	s := newSteppedAt(t, db, start)
	read := func(wantAll int, wantKeys ...string) {
		t.Helper()
		var keys []string
		for _, k := range s.series.keys {
			keys = append(keys, k.Region.String())
		}
		if diff := cmp.Diff(wantKeys, keys); s.series.all != wantAll || diff != "" {
			t.Errorf("all series were read %d times, want %d; others (-want +got):\n%s", s.series.all, wantAll, diff)
		}
		s.series.all, s.series.keys = 0, nil
	}
	s.look()
	read(1)
	first := s.publisher.Current()
	s.look()
	read(0)

	save(t, db, priced("TR", 49900, start+minute))
	s.now = start + 2*minute
	s.look()
	read(0, "TR")
	second := s.publisher.Current()
	// The regions are TR, UA.
	if second.Catalog != first.Catalog || second.Prices == first.Prices || second.Lows[0] == first.Lows[0] || second.Lows[1] != first.Lows[1] {
		t.Errorf("a price: published %+v after %+v", second, first)
	}

	s.now = start + 12*60*minute + 1 // the next day
	s.look()
	read(1)
	third := s.publisher.Current()
	if third.Seq != second.Seq+1 || third.Catalog != second.Catalog || third.Prices != second.Prices || third.Lows[0] == second.Lows[0] || third.Lows[1] == second.Lows[1] || third.Inputs.Day != 20_001 {
		t.Errorf("a new day: published %+v after %+v", third, second)
	}
	if day := catalog.Millis(s.view().LowsDay()).Day(); day != 20_001 {
		t.Errorf("the lows are of day %d", day)
	}
	s.look()
	read(0)
	if s.publisher.Current().Seq != third.Seq {
		t.Error("published again on the same day")
	}

	other := newSteppedAt(t, db, s.now) // takes over on the same day, and builds for a change
	other.cfg.Bucket, other.publisher = s.cfg.Bucket, s.publisher
	other.look()
	if other.series.all != 0 {
		t.Error("a builder with nothing to build reads all series")
	}
}

// TestProductIsReplaced checks that the lows of a card in a region are those of the listing
// that gives its row: without the past of a product that another one replaced.
func TestProductIsReplaced(t *testing.T) {
	t.Parallel()
	const start = 20_000*day + 12*60*minute
	db := openDatabase(t)
	sold := func(region, product string, amount money.Amount, at catalog.Millis, more ...ct.Option) catalog.Listing {
		l := ct.Console(region, product, append(more, ct.Family("1"), ct.FamilyName("Star Forge"), ct.Name("Star Forge"), ct.Title("Star Forge"), ct.Price("UAH", amount))...)
		l.ObservedAt = at
		return l
	}
	save(t, db, sold("TR", "EP1-OLD", 90000, start-80*day), sold("UA", "EP1-OLD", 20000, start-80*day))
	save(t, db, sold("UA", "EP1-OLD", 50000, start-60*day))
	s := newSteppedAt(t, db, start)
	s.look()
	id := s.view().Card(0).ID()
	expect := func(what, since string, low int64) {
		t.Helper()
		s.look()
		if n := s.view().Len(); n != 1 {
			t.Fatalf("%s: %d cards, want 1", what, n)
		}
		lows := bulkLows(t, s.view(), s.now)[id+" UA"]
		if lows == nil || lows.WatchedSince != since || lows.AllTime.Current != low {
			t.Errorf("%s: %+v, want the low %d since %s", what, lows, low, since)
		}
		fresh := newSteppedAt(t, db, s.now)
		fresh.look()
		if diff := cmp.Diff(lows, bulkLows(t, fresh.view(), s.now)[id+" UA"]); diff != "" {
			t.Errorf("%s (-this builder +one that starts now):\n%s", what, diff)
		}
	}
	at := func(m catalog.Millis) string { return m.Time().Format("2006-01-02T15:04:05.000Z") }
	expect("the first product", at(start-80*day), 20000)

	s.now = start + 10*minute
	save(t, db, sold("UA", "EP1-OLD", 50000, start+minute, ct.Withdrawn()), sold("UA", "EP1-NEW", 70000, start+2*minute))
	expect("another product", at(start+2*minute), 70000)
	s.now = start + 2*day
	save(t, db, sold("UA", "EP1-NEW", 60000, start+2*day-minute))
	expect("its next price", at(start+2*minute), 60000)
	s.now = start + 3*day
	save(t, db, sold("UA", "EP1-NEW", 60000, start+3*day-2*minute, ct.Withdrawn()), sold("UA", "EP1-OLD", 50000, start+3*day-minute))
	expect("the first one is back", at(start-80*day), 20000)
}

// TestLowsThroughTheWholePath lets one builder follow random prices, and compares the lows
// in answers of bulk prices, at times until the end of the day, with those of the steps
// that the database has.
func TestLowsThroughTheWholePath(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	db := openDatabase(t)
	const start = 20_000 * day
	s := newSteppedAt(t, db, start)
	shown, ended, alone := 0, 0, 0
	for range 40 {
		s.now += []catalog.Millis{minute, 30 * minute, 61 * minute, day, 9 * day, 40 * day}[rng.IntN(6)]
		var lines []catalog.Listing
		for range 1 + rng.IntN(4) {
			l := randomProduct(rng)
			l.ObservedAt, l.Price, l.Withdrawn = s.now-catalog.Millis(rng.IntN(1000)), randomPrice(rng, s.now), rng.IntN(15) == 0
			lines = append(lines, l)
		}
		save(t, db, lines...)
		s.try(nil)
		if s.report.PricesAlone {
			alone++
		}
		v := s.view()
		for _, at := range []catalog.Millis{s.now, s.now + 59*minute, s.now + 90*minute, s.now - s.now%day + day - 1} {
			if at.Day() != s.now.Day() {
				continue
			}
			got := bulkLows(t, v, at)
			want := storedLows(t, db, v, at, &ended)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("at %d, prices alone %v (-steps +answer):\n%s", at, s.report.PricesAlone, diff)
			}
			shown += len(got)
		}
	}
	if shown == 0 || ended == 0 || alone == 0 || alone == 40 {
		t.Errorf("%d lows, %d ended discounts, prices alone in %d of 40 rounds: the test no longer covers them", shown, ended, alone)
	}
}

// randomProduct returns a product of the console store, or one of three of a PC card: its
// game in one region, and two editions, of which the cheaper one gives the row elsewhere.
func randomProduct(rng *rand.Rand) catalog.Listing {
	regions := []string{"UA", "TR", "US"}
	product, released := []string{"a", "b", "game", "gold", "silver"}[rng.IntN(5)], ct.Prose(catalog.Prose{ReleaseDate: "2024-11-20"})
	switch product {
	case "game":
		return ct.PC(regions[0], product, "sun", ct.Title("Sun"), ct.Type(catalog.Base), released)
	case "gold", "silver":
		return ct.PC(regions[rng.IntN(3)], product, "sun", ct.Title("Sun"), ct.Edition(product), ct.Type(catalog.EditionType), released)
	}
	return ct.Console(regions[rng.IntN(3)], product, ct.Family(product), ct.Title("Star "+product), released)
}

func randomPrice(rng *rand.Rand, now catalog.Millis) *catalog.Price {
	p := &catalog.Price{Currency: "UAH", Base: []money.Amount{80000, 100000}[rng.IntN(2)], DiscountPercent: catalog.NoPercent}
	p.Current = p.Base
	switch rng.IntN(10) {
	case 0:
		return nil
	case 1:
		p.Currency = "USD"
	case 2:
		p.Source = catalog.SourceDoubtful
	case 3:
		p.Current = 0
	case 4:
		p.Subscription = true
	case 5, 6, 7:
		p.Current = p.Base * []money.Amount{50, 75}[rng.IntN(2)] / 100
		p.DiscountPercent = money.DiscountPercent(p.Base, p.Current)
	}
	if p.Current < p.Base && rng.IntN(3) > 0 {
		p.DiscountEndsAt = now + []catalog.Millis{30 * minute, 60 * minute, 5 * day}[rng.IntN(3)]
	}
	return p
}

// bulkLows returns the lows of all cards in all regions, by id and region.
func bulkLows(t *testing.T, v *index.View, now catalog.Millis) map[string]*historytest.Lows {
	t.Helper()
	params := bulk.Params{Include: bulk.Include{Blocks: bulk.Lows, Names: []string{"lows"}}}
	params.Regions.All = true
	for i := range v.Len() {
		id := v.Card(i).ID()
		params.IDs = append(params.IDs, selection.ID{Sent: id, Key: id})
		params.Spellings = append(params.Spellings, selection.Spelling{Text: id, ID: int32(i)})
	}
	var a bulk.Answer
	a.Find(v, params, int64(now), new(money.Formatter))
	body := respond.Body{Buf: []byte("{")}
	a.Encode(&body)
	var answer struct {
		Data struct {
			Items []struct {
				ID      string
				Regions map[string]struct {
					Lows *historytest.Lows `json:"lows"`
				}
			}
		}
	}
	if err := json.Unmarshal(append(body.Buf, '}'), &answer); err != nil {
		t.Fatalf("%v in %s", err, body.Buf)
	}
	lows := map[string]*historytest.Lows{}
	for _, item := range answer.Data.Items {
		for region, r := range item.Regions {
			lows[item.ID+" "+region] = r.Lows
		}
	}
	return lows
}

// storedLows returns what bulkLows should, from the steps of the database.
func storedLows(t *testing.T, db source, v *index.View, now catalog.Millis, ended *int) map[string]*historytest.Lows {
	t.Helper()
	lows := map[string]*historytest.Lows{}
	for i := range v.Len() {
		c := v.Card(i)
		for j := range c.Rows().Len() {
			row := c.Rows().At(j)
			region := v.Region(row.Region)
			steps, err := db.Listings.History(t.Context(), catalog.Key{Platform: c.Platform(), Region: region.Code, Product: row.Product()})
			if err != nil || len(steps) == 0 {
				t.Fatalf("%d steps, %v", len(steps), err)
			}
			if end := steps[len(steps)-1].EndsAt; end != 0 && end <= now {
				*ended++
			}
			lows[c.ID()+" "+region.Key(c.Platform())] = historytest.Shown(history.Summarize(steps, catalog.MillisOf(time.Date(2024, 11, 20, 0, 0, 0, 0, time.UTC)), now))
		}
	}
	return lows
}

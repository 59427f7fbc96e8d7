package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
)

const (
	minute = catalog.Millis(time.Minute / time.Millisecond)
	day    = 24 * 60 * minute
	// builtAt is in the middle of builtDay.
	builtAt  = builtDay*day + 12*60*minute
	builtDay = 20_000
)

// TestLowsAreThoseOfTheSteps packs lows of random series and compares those of every row,
// at times until the end of the day, with those of its steps.
func TestLowsAreThoseOfTheSteps(t *testing.T) {
	verdicts, ended, null := map[history.Verdict]int{}, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := newSample("UA", "TR")
		s.prose[1] = &catalog.Prose{ReleaseDate: rapid.SampledFrom([]string{"", "1999-12-31", "2024-09-20", "soon"}).Draw(t, "released")}
		lows, series := pack.NewLows(builtDay), map[string][]history.Step{}
		for i := range rapid.IntRange(1, 4).Draw(t, "cards") {
			var rows []uint32
			for _, region := range []string{"TR", "UA", "US"} {
				if steps := drawSeries(t); len(steps) > 0 {
					rows = append(rows, s.shown(t, lows, region, gameID(i), steps))
					series[gameID(i)+region] = steps
				}
			}
			s.console(gameID(i), "1", "Star", rows, func(c *catalog.Card) {
				c.Prose.ReleaseDate = 1
				if rapid.IntRange(0, 5).Draw(t, "demo") == 0 {
					c.Class = catalog.DemoClass
				}
			})
		}
		snap := withLows(t, s, lows)
		for i := range snap.Len() {
			c := snap.Card(i)
			for _, region := range []string{"TR", "UA", "US"} {
				steps := series[c.ID()+region]
				if len(steps) == 0 || c.Class() == catalog.DemoClass {
					continue
				}
				no, _ := snap.RegionNo(catalog.MustRegion(region))
				row, _ := c.Rows().InRegion(no)
				now := rapid.SampledFrom([]catalog.Millis{builtAt, builtAt + 59*minute, builtAt + 60*minute, builtAt + 12*60*minute - 1}).Draw(t, "now")
				want, got := wantLows(steps, c.ReleaseDate(), now), history.Summary{}
				row.Pass(int64(now))
				if !row.Lows(int64(now), &got) {
					t.Fatal("no lows")
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%s in %s at %d (-steps +snapshot):\n%s\n%+v", c.ID(), region, now, diff, steps)
				}
				if got.Reduction.Since != 0 {
					verdicts[got.Reduction.Verdict]++
				}
				if got.AllTime.Times == 0 {
					null++
				}
				if end := steps[len(steps)-1].EndsAt; builtAt < end && end <= now {
					ended++
				}
			}
		}
	})
	t.Logf("verdicts %v, discounts that ended: %d, rows without lows: %d", verdicts, ended, null)
}

// shown adds an entry that has shown steps, and its past to lows. A series of one step is
// not stored: the entry itself shows it.
func (s *sample) shown(t *rapid.T, lows *pack.Lows, region, product string, steps []history.Step) uint32 {
	last := &steps[len(steps)-1]
	n := s.row(region, product, nil, func(e *catalog.Entry) { e.PricedAt = last.At })
	e := &s.in.Entries[n]
	if last.State != history.Unpriced {
		e.Price = &catalog.Price{Currency: last.Currency, Base: last.Base, Current: last.Current, DiscountEndsAt: last.EndsAt,
			DiscountPercent: catalog.NoPercent, Trial: last.Trial, Subscription: last.Subscription, CurrentText: "text"}
		if last.Doubtful {
			e.Price.Source = catalog.SourceDoubtful
		}
	}
	if len(steps) == 1 {
		return n
	}
	// What was set before is replaced.
	for i := range rapid.IntRange(0, min(3, len(steps)-1)).Draw(t, "earlier") {
		must(t, lows.Set(n, e, steps[:i+1]))
	}
	must(t, lows.Set(n, e, steps))
	return n
}

// wantLows returns the lows of steps of which the last is in the currency of the row.
func wantLows(steps []history.Step, released string, now catalog.Millis) history.Summary {
	at := catalog.Millis(0)
	if date, err := time.Parse(time.DateOnly, released); err == nil {
		at = catalog.MillisOf(date)
	}
	want := *history.Summarize(steps, at, now)
	last, priced := &steps[len(steps)-1], slices.Clone(steps)
	priced = slices.DeleteFunc(priced, func(s history.Step) bool { return s.State != history.Priced })
	if last.State == history.Text && (len(priced) == 0 || priced[len(priced)-1].Currency != last.Currency) {
		want = history.Summary{WatchedSince: want.WatchedSince}
	}
	return want
}

// drawSeries draws the steps of a listing that is not withdrawn, mostly of the last
// months. Many share their times.
func drawSeries(t *rapid.T) (steps []history.Step) {
	ago := rapid.SampledFrom([]catalog.Millis{day, 40 * day, 100 * day, 400 * day, 2000 * day, builtAt - 1}).Draw(t, "first")
	for range rapid.IntRange(0, 12).Draw(t, "steps") {
		s := history.Step{At: builtAt - ago, State: history.Priced, Currency: "UAH", Base: rapid.SampledFrom([]money.Amount{80000, 100000, 100000, 99999}).Draw(t, "base")}
		s.Current = s.Base
		switch rapid.IntRange(0, 12).Draw(t, "what") {
		case 0:
			s.State, s.Base, s.Current, s.Currency = history.Unpriced, money.None, money.None, ""
		case 1:
			s.State, s.Base, s.Current = history.Text, money.None, money.None
		case 2:
			s.Currency = "USD"
		case 3:
			s.Doubtful, s.Current = true, 1
		case 4:
			s.Current = 0
		case 5:
			s.Current, s.Trial = 0, true
		case 6:
			s.Current, s.Subscription = s.Base/2, true
		case 7:
			s.Base = money.None
		case 8, 9, 10, 11:
			s.Current = s.Base * money.Amount(rapid.SampledFrom([]int{50, 75, 99}).Draw(t, "share")) / 100
		}
		if s.Current != s.Base && rapid.Bool().Draw(t, "ends") {
			s.EndsAt = rapid.SampledFrom([]catalog.Millis{max(1, s.At-minute), s.At + 30*minute, s.At + 7*day, builtAt + minute, builtAt + 60*minute}).Draw(t, "end")
		}
		steps = append(steps, s)
		ago -= rapid.SampledFrom([]catalog.Millis{1, 9 * minute, 59*minute + 1, 60 * minute, day, 7 * day, 30 * day, 89 * day, 300 * day}).Draw(t, "pause")
		if ago < 0 {
			break
		}
	}
	return steps
}

// withLows opens a sample with lows.
func withLows(t failer, s *sample, lows *pack.Lows) *index.Snapshot {
	t.Helper()
	blobs, repricer, err := pack.Build(s.in)
	must(t, err)
	snap, err := index.Open(blobs.Catalog, blobs.Prices)
	must(t, err)
	return joined(t, snap, packed(t, repricer, lows, s)...)
}

// packed returns the lows blobs of a sample by region.
func packed(t failer, repricer *pack.Repricer, lows *pack.Lows, s *sample) (blobs [][]byte) {
	t.Helper()
	for _, region := range repricer.Regions() {
		blob, err := repricer.PackLows(lows, s.in.Entries, region)
		must(t, err)
		blobs = append(blobs, blob)
	}
	return blobs
}

func joined(t failer, snap *index.Snapshot, blobs ...[]byte) *index.Snapshot {
	t.Helper()
	snap, err := snap.WithLows(opened(t, blobs)...)
	must(t, err)
	return snap
}

func opened(t failer, blobs [][]byte) (lows []*index.Lows) {
	t.Helper()
	for _, blob := range blobs {
		l, err := index.OpenLows(blob)
		must(t, err)
		lows = append(lows, l)
	}
	return lows
}

// failer is a test of package testing or rapid.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// TestLowsOfManyRows checks that each of many rows finds its own record, also after some
// were replaced many times.
func TestLowsOfManyRows(t *testing.T) {
	s, lows := newSample("UA", "TR"), pack.NewLows(builtDay)
	at := func(i int) catalog.Millis { return builtAt - 10*day + catalog.Millis(i) }
	for i := range 3000 {
		rows := s.rows(gameID(i), "TR", "UA")
		for j, n := range rows {
			if (i+j)%3 == 0 {
				continue // never changed
			}
			for range 1 + i%4 {
				steps := []history.Step{{At: at(i), State: history.Priced, Currency: "UAH", Base: 100, Current: 100},
					{At: at(i) + day, State: history.Priced, Currency: "UAH", Base: 199900, Current: 199900}}
				must(t, lows.Set(n, &s.in.Entries[n], steps))
			}
		}
		s.console(gameID(i), "1", fmt.Sprint("Star ", i), rows)
	}
	snap := withLows(t, s, lows)
	for i := range 3000 {
		rows := find(t, snap, gameID(i)).Rows()
		for j := range rows.Len() {
			row, got := rows.At(j), history.Summary{}
			row.Lows(int64(builtAt), &got)
			want := at(i)
			if (i+j)%3 == 0 {
				want = catalog.Millis(row.PricedAt)
			}
			if got.WatchedSince != want {
				t.Fatalf("row %d of card %d is watched since %d, want %d", j, i, got.WatchedSince, want)
			}
		}
	}
}

func TestLowsThatDoNotBelongAreRefused(t *testing.T) {
	one, other := everything(), everything()
	other.in.Cards[0].Title = "Sun"
	_, repricer, err := pack.Build(one.in)
	must(t, err)
	of := opened(t, packed(t, repricer, pack.NewLows(builtDay), one))
	later := opened(t, packed(t, repricer, pack.NewLows(builtDay+1), one))
	for _, tt := range []struct {
		name string
		to   *index.Snapshot
		lows []*index.Lows
		want string // part of the error
	}{
		{"all regions", one.open(t), of, ""},
		{"another catalog", other.open(t), of, "belong to catalog"},
		{"a region is missing", one.open(t), of[1:], "there are no lows of region"},
		{"a region twice", one.open(t), append(slices.Clone(of), of[0]), "has some already"},
		{"two days", one.open(t), append(slices.Clone(of[1:]), later[0]), "lows of the days"},
	} {
		_, err := tt.to.WithLows(tt.lows...)
		if got := fmt.Sprint(err); (err == nil) != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

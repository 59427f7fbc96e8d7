package sqldb_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
)

// drawLine draws a line with one of few keys, contents and times, so that lines
// often have the same ones.
func drawLine(t *rapid.T) catalog.Listing {
	l := console(rapid.SampledFrom([]string{"TR", "UA"}).Draw(t, "region"),
		rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "product"),
		noon+catalog.Millis(rapid.IntRange(0, 6).Draw(t, "at")))
	if rapid.IntRange(0, 4).Draw(t, "withdrawn") == 0 {
		return catalog.Listing{Key: l.Key, ObservedAt: l.ObservedAt, Withdrawn: true}
	}
	l.Facts.Title = rapid.SampledFrom([]string{"Star Forge", "Star Forge 2"}).Draw(t, "title")
	l.Prose.Publisher = rapid.SampledFrom([]string{"", "P", "Q"}).Draw(t, "publisher")
	if rapid.IntRange(0, 3).Draw(t, "priced") == 0 {
		l.Price = nil
		return l
	}
	l.Price.Current = money.Amount(rapid.IntRange(0, 2).Draw(t, "current"))
	l.Price.CurrentText = rapid.SampledFrom([]string{"", "x"}).Draw(t, "text")
	return l
}

// casesADatabase is the number of cases after which a property test takes a new
// database: statements become slower with the rows of earlier cases.
const casesADatabase = 250

// TestBatchBoundariesDoNotMatter checks that the division of lines into batches does
// not change the listings, counts and price histories.
func TestBatchBoundariesDoNotMatter(t *testing.T) {
	t.Parallel()
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) {
			together, apart := open(t, e.dsn(t)), open(t, e.dsn(t))
			same := func() {
				t.Helper()
				wantSame(t, "listings", exported(t, apart, listings.Filter{}), exported(t, together, listings.Filter{}))
				wantWhole(t, together)
			}
			round := 0
			rapid.Check(t, func(rt *rapid.T) {
				if round++; round%casesADatabase == 0 {
					same()
					together, apart = open(t, e.dsn(t)), open(t, e.dsn(t))
				}
				lines := rapid.SliceOfN(rapid.Custom(drawLine), 1, 8).Draw(rt, "lines")
				for i := range lines { // each round has separate products
					lines[i].Product = fmt.Sprint(round, lines[i].Product)
				}
				cut := rapid.IntRange(0, len(lines)).Draw(rt, "cut")
				sum := mustSave(rt, together, lines[:cut]).Add(mustSave(rt, together, lines[cut:]))
				var single catalog.SaveCounts
				for i := range lines {
					single = single.Add(mustSave(rt, apart, lines[i:i+1]))
				}
				if sum != single {
					rt.Fatalf("two batches count %+v, single lines %+v", sum, single)
				}
				for i := range lines {
					a, _ := together.Listings.History(t.Context(), lines[i].Key)
					b, _ := apart.Listings.History(t.Context(), lines[i].Key)
					if diff := cmp.Diff(b, a); diff != "" {
						rt.Fatalf("history of %v (-single +batches):\n%s", lines[i].Key, diff)
					}
				}
			})
			same()
		})
	}
}

// TestStepsOfAnyLog saves observations in any order of arrival, and compares the recorded
// steps with what was shown at each time: that of the newest line until then, where a
// line that is older than one before it shows nothing.
func TestStepsOfAnyLog(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		const times = 8
		round, longest := 0, 0
		rapid.Check(t, func(rt *rapid.T) {
			round++
			var shown [times]history.Step
			newest := catalog.Millis(-1)
			key := console("TR", fmt.Sprint("log", round), 0).Key
			for _, line := range rapid.SliceOfN(rapid.Custom(drawLine), 1, 12).Draw(rt, "lines") {
				line.Key = key
				if line.Price != nil {
					line.Price.Source = rapid.SampledFrom([]string{catalog.SourceExact, catalog.SourceDoubtful}).Draw(rt, "source")
					line.Price.DiscountEndsAt = rapid.SampledFrom([]catalog.Millis{0, noon + 3, noon + 100}).Draw(rt, "end")
				}
				mustSave(rt, db, []catalog.Listing{line})
				at := line.ObservedAt - noon
				if at < newest {
					continue
				}
				newest = at
				step := history.StepOf(0, line.Price)
				if line.Withdrawn {
					step = history.StepGone(0)
				}
				for m := at; m < times; m++ {
					shown[m] = step
				}
			}
			var want []history.Step
			for m, step := range shown {
				if step.State != 0 && (m == 0 || shown[m-1] != step) {
					step.At = noon + catalog.Millis(m)
					want = append(want, step)
				}
			}
			got, err := db.Listings.History(t.Context(), key)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				rt.Fatalf("%v (-shown +recorded):\n%s", err, diff)
			}
			longest = max(longest, len(got))
		})
		if round >= 100 && longest < 3 {
			t.Errorf("no history has more than %d steps", longest)
		}
	})
}

func mustSave(t *rapid.T, db *sqldb.DB, ls []catalog.Listing) catalog.SaveCounts {
	counts, err := db.Listings.Save(t.Context(), ls)
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

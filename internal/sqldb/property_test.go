package sqldb_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
)

// drawLine is a line of one of a few keys, contents and moments, so that lines
// meet each other often.
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

// How lines are cut into batches does not matter: the same listings, counts
// and price histories come out.
func TestBatchesDoNotMatter(t *testing.T) {
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) {
			together, apart := open(t, e.dsn(t)), open(t, e.dsn(t))
			round := 0
			rapid.Check(t, func(rt *rapid.T) {
				round++
				lines := rapid.SliceOfN(rapid.Custom(drawLine), 1, 8).Draw(rt, "lines")
				for i := range lines { // each round has products of its own
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
					a, _ := together.PriceHistory(t.Context(), lines[i].Key)
					b, _ := apart.PriceHistory(t.Context(), lines[i].Key)
					if diff := cmp.Diff(b, a); diff != "" {
						rt.Fatalf("price history of %v (-single +batches):\n%s", lines[i].Key, diff)
					}
				}
			})
			if diff := cmp.Diff(exported(t, apart, sqldb.Filter{}), exported(t, together, sqldb.Filter{})); diff != "" {
				t.Errorf("listings (-single +batches):\n%s", diff)
			}
			wantWhole(t, together)
		})
	}
}

func mustSave(t *rapid.T, db *sqldb.DB, ls []catalog.Listing) catalog.SaveCounts {
	counts, err := db.Save(t.Context(), ls)
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

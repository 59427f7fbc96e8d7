package sqldb_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sweep"
)

// The third time that a part says the same, its listing is not read: here that would fail.
func TestListingsSeenAgainAreNotRead(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e testEngine) {
		dsn := e.dsn(t)
		db, unwatched := open(t, dsn), bare(t, dsn)
		collect(t, db)
		w := begin(t, db, sweep.Prices, noon)
		batch := func(at catalog.Millis, want catalog.SaveCounts) {
			t.Helper()
			if got := w.show(at, shown("TR", "a", at), shown("UA", "a", at+1)).Saved; got != want {
				t.Errorf("the batch at %d counted %+v, want %+v", at, got, want)
			}
		}
		batch(noon, catalog.SaveCounts{New: 2})
		batch(noon+10, catalog.SaveCounts{Unchanged: 2})
		saved := generation(t, db)
		execute(t, unwatched, "UPDATE listing SET facts_id = facts_id + 1000000")
		batch(noon+20, catalog.SaveCounts{Unchanged: 2})
		execute(t, unwatched, "UPDATE listing SET facts_id = facts_id - 1000000")
		if got := onSale(t, db, turkey)["a"]; got != noon+20 {
			t.Errorf("the listing in TR was last seen at %d, want %d", got, noon+20)
		}
		if got := onSale(t, db, ukraine)["a"]; got != noon+21 {
			t.Errorf("the listing in UA was last seen at %d, want %d", got, noon+21)
		}
		if got := generation(t, db); got != saved {
			t.Errorf("the generation is %d, want %d", got, saved)
		}
		if end := w.finish(noon+30, true); end.Withdrawn != 0 {
			t.Errorf("%d of the listings that were seen again are withdrawn", end.Withdrawn)
		}
	})
}

// TestMarksOfPartsChangeNothing plays random batches, imports and withdrawals twice: once
// without marks, so that every listing is read. The outcomes are the same.
func TestMarksOfPartsChangeNothing(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e testEngine) {
		var sides [2]sweeping
		dsns := [2]string{e.dsn(t), e.dsn(t)}
		for i, dsn := range dsns {
			db := open(t, dsn)
			collect(t, db)
			sides[i] = begin(t, db, sweep.Prices, noon)
		}
		unmarked := bare(t, dsns[1])
		rng, marked := rand.New(rand.NewPCG(1, 12)), 0
		const operations = 240
		for at := noon + 1; at <= noon+operations; at++ {
			op, seed := rng.IntN(16), rng.Uint64()
			var outcomes [2]any
			for i, w := range sides {
				if i == 1 {
					execute(t, unmarked, "UPDATE listing SET part_mark = 0")
				}
				outcomes[i] = w.play(op, rand.New(rand.NewPCG(seed, 0)), at)
			}
			if d := cmp.Diff(outcomes[1], outcomes[0]); d != "" {
				t.Fatalf("operation %d at %d (-without marks +with marks):\n%s", op, at-noon, d)
			}
			n, err := sides[0].db.FindRow(t.Context(), "find marks", "SELECT 1 FROM listing WHERE part_mark <> 0 LIMIT 1", nil, []any{new(int)})
			must(t, err)
			if n {
				marked++
			}
		}
		if marked < operations/2 {
			t.Errorf("only %d of %d operations met a listing with a mark", marked, operations)
		}
		states := [2][]ownedListing{owned(t, sides[0].db), owned(t, sides[1].db)}
		wantSame(t, "owners", states[1], states[0], cmp.AllowUnexported(ownedListing{}))
	})
}

// play plays one operation, and returns what it counted and all listings.
func (w sweeping) play(op int, rng *rand.Rand, at catalog.Millis) any {
	w.t.Helper()
	var counts any
	switch op {
	case 0: // an import, which may be older than what was seen
		l := console("TR", "a", at-catalog.Millis(rng.IntN(4)))
		l.Price.Current = l.Price.Current / 2
		saved, err := w.db.Listings.Save(w.t.Context(), []catalog.Listing{l})
		must(w.t, err)
		counts = saved
	case 1: // the listing is gone, and may come back
		gone := catalog.Listing{Key: console("TR", "a", at).Key, ObservedAt: at, Withdrawn: true}
		saved, err := w.db.Listings.Save(w.t.Context(), []catalog.Listing{gone})
		must(w.t, err)
		counts = saved
	default:
		var parts []sweep.Part
		for _, region := range []string{"TR", "UA"} {
			for range 1 + rng.IntN(8)/7 { // sometimes there are two parts of one listing
				parts = append(parts, anyPart(rng, region, at))
			}
		}
		rules := sweep.Rules{}
		if rng.IntN(6) == 0 { // another region's price is doubtful, or no longer
			doubt := sweep.Doubt{Key: parts[0].Key, Doubtful: rng.IntN(2) == 0}
			parts = parts[1:]
			rules = sweep.Rules{Products: []string{"a"}, Judge: func(p []sweep.Part, _ []sweep.RegionPrice) ([]sweep.Part, []sweep.Doubt) {
				return p, []sweep.Doubt{doubt}
			}}
		}
		counts = w.ruledBatch(at, rules, func(s *sweep.Batch) { s.Parts = parts })
	}
	return [2]any{counts, exported(w.t.(*testing.T), w.db, listings.Filter{})}
}

// anyPart returns a part, most often the one of the operations before.
func anyPart(rng *rand.Rand, region string, at catalog.Millis) sweep.Part {
	p := shown(region, "a", at-catalog.Millis(rng.IntN(10)/9*5)) // sometimes older than what was seen
	variant := int(at/10) % 12
	if rng.IntN(8) == 0 {
		variant = rng.IntN(12)
	}
	switch variant {
	case 0:
		p.Facts.Title = "Another"
	case 1:
		p.Shows &^= sweep.ShowsTitle
	case 2:
		p.Price = nil
	case 3:
		p.Shows, p.Guesses = p.Shows&^sweep.ShowsPrice, sweep.ShowsPrice
	case 4:
		p.Price.Source = catalog.SourceDoubtful
	}
	return p
}

type ownedListing struct {
	region, product string
	seen, at        int64
	kind            int
}

// owned returns when listings were last seen, and by which sweep.
func owned(t *testing.T, db *sqldb.DB) (list []ownedListing) {
	t.Helper()
	const text = "SELECT region, product, seen_at, swept_at, swept_by FROM listing ORDER BY region, product"
	must(t, db.Query(t.Context(), "read owners", text, nil, func(rows engine.Rows) error {
		var o ownedListing
		err := rows.Scan(&o.region, &o.product, &o.seen, &o.at, &o.kind)
		list = append(list, o)
		return err
	}))
	return list
}

package sqldb_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
)

// TestOverlappingWriters saves lines of the same listings through several handles at
// once, in random order. A newer line always wins: no line that was acknowledged is
// overwritten by an older one, and the price history agrees with that.
func TestOverlappingWriters(t *testing.T) {
	const writers, batches, keys = 4, 12, 15
	onEachEngine(t, func(t *testing.T, e testEngine) {
		dsn := e.dsn(t)
		db := open(t, dsn)
		beside(t, dsn, writers, func(mine *sqldb.DB, w int) {
			random := rand.New(rand.NewPCG(uint64(w), 12))
			for _, b := range random.Perm(batches) {
				if _, err := mine.Listings.Save(t.Context(), overlapping(random, b*writers+w, keys)); err != nil {
					t.Error(err)
				}
			}
		}).Wait()
		const newest = batches*writers - 1
		ls := exported(t, db, listings.Filter{})
		if len(ls) != 2*keys {
			t.Fatalf("%d listings, want %d", len(ls), 2*keys)
		}
		for i := range ls {
			wantNewest(t, db, &ls[i], newest)
		}
		wantWhole(t, db)
	})
}

// overlapping returns a line of each key in two regions, observed at an offset and with
// its price, in random order.
func overlapping(random *rand.Rand, offset, keys int) (ls []catalog.Listing) {
	for _, i := range random.Perm(2 * keys) {
		l := console([]string{"TR", "UA"}[i%2], fmt.Sprint("p", i/2), noon+catalog.Millis(offset))
		l.Price.Base = 1000
		l.Price.Current = money.Amount(offset)
		ls = append(ls, l)
	}
	return ls
}

func wantNewest(t *testing.T, db *sqldb.DB, l *catalog.Listing, newest int) {
	t.Helper()
	if l.ObservedAt != noon+catalog.Millis(newest) || l.Price.Current != money.Amount(newest) {
		t.Errorf("%s %s was observed at %d with the price %d; want %d: an older line has overwritten it",
			l.Region, l.Product, l.ObservedAt-noon, l.Price.Current, newest)
	}
	steps, err := db.Listings.History(t.Context(), l.Key)
	if err != nil || len(steps) == 0 {
		t.Fatalf("history %v, %v", steps, err)
	}
	for i, c := range steps {
		if int(c.At-noon) != int(c.Current) || i > 0 && c.At <= steps[i-1].At {
			t.Errorf("%s %s had the price %d at %d", l.Region, l.Product, c.Current, c.At-noon)
		}
	}
	if last := steps[len(steps)-1]; int(last.Current) != newest {
		t.Errorf("the history of %s %s ends with the price %d, want %d", l.Region, l.Product, last.Current, newest)
	}
}

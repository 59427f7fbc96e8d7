package sqldb_test

import (
	"fmt"
	"slices"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
)

// TestSeries checks that a reading gives the whole history of every listing that has
// shown more than one step, of all or of some keys.
func TestSeries(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		want := map[catalog.Key][]history.Step{}
		var keys []catalog.Key
		for i, n := range []int{1, 2, history.MaxRow + 1, 5, 3*history.MaxRow + 2} {
			key := console([]string{"TR", "UA"}[i%2], fmt.Sprint("p", i), 0).Key
			keys = append(keys, key)
			for j := range n {
				l := console("TR", "", noon+catalog.Millis(10*j))
				l.Key, l.Price.Current = key, money.Amount(1+j%2)
				_, err := db.Listings.Save(t.Context(), []catalog.Listing{l})
				must(t, err)
			}
			steps, err := db.Listings.History(t.Context(), key)
			must(t, err)
			if n > 1 {
				want[key] = steps
			}
		}
		take := func(into map[catalog.Key][]history.Step) func(history.Series) error {
			return func(s history.Series) error {
				if into[s.Key] != nil {
					t.Errorf("%v came twice", s.Key)
				}
				into[s.Key] = slices.Clone(s.Steps)
				return nil
			}
		}
		all, some := map[catalog.Key][]history.Step{}, map[catalog.Key][]history.Step{}
		asked := append(slices.Clone(keys[:3]), keys[1], console("PL", "unknown", 0).Key)
		must(t, db.Listings.Read(t.Context(), func(r *listings.Reading) error {
			if err := r.AllSeries(take(all)); err != nil {
				return err
			}
			return r.Series(asked, take(some))
		}))
		wantSame(t, "all", want, all)
		delete(want, keys[3])
		delete(want, keys[4])
		wantSame(t, "some", want, some)
	})
}

package database_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/database"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
)

// TestPreparedSaveEqualsSave checks that batches that are all prepared before the first
// is saved have the same result as batches saved one by one.
func TestPreparedSaveEqualsSave(t *testing.T) {
	onEach(t, func(t *testing.T, plain *database.DB) {
		ahead := open(t, engines()[0].dsn(t))
		round := 0
		rapid.Check(t, func(rt *rapid.T) {
			round++
			lines := rapid.SliceOfN(rapid.Custom(drawLine), 1, 8).Draw(rt, "lines")
			for i := range lines { // each round has separate products
				lines[i].Product = fmt.Sprint(round, lines[i].Product)
			}
			cut := rapid.IntRange(0, len(lines)).Draw(rt, "cut")
			first, second := ahead.Listings.Prepare(lines[:cut]), ahead.Listings.Prepare(lines[cut:])
			got, err := first(t.Context())
			if err == nil {
				var more catalog.SaveCounts
				more, err = second(t.Context())
				got = got.Add(more)
			}
			want := mustSave(rt, plain, lines[:cut]).Add(mustSave(rt, plain, lines[cut:]))
			if err != nil || got != want {
				rt.Fatalf("prepared batches count %+v, %v; saved batches %+v", got, err, want)
			}
			for i := range lines {
				a, _ := plain.Listings.PriceHistory(t.Context(), lines[i].Key)
				b, _ := ahead.Listings.PriceHistory(t.Context(), lines[i].Key)
				if diff := cmp.Diff(a, b); diff != "" {
					rt.Fatalf("price history of %v (-saved +prepared):\n%s", lines[i].Key, diff)
				}
			}
		})
		if diff := cmp.Diff(exported(t, plain, listings.Filter{}), exported(t, ahead, listings.Filter{})); diff != "" {
			t.Errorf("listings (-saved +prepared):\n%s", diff)
		}
		wantWhole(t, ahead)
	})
}

func TestPrepareTakesNoMoreThanSave(t *testing.T) {
	onEach(t, func(t *testing.T, db *database.DB) {
		ls := manyListings(listings.MaxBatch+1, noon)
		_, err := db.Listings.Prepare(ls)(t.Context())
		_, want := db.Listings.Save(t.Context(), ls)
		if err == nil || want == nil || err.Error() != want.Error() {
			t.Errorf("prepare: %v; save: %v", err, want)
		}
		if n, err := db.Listings.ListingCount(t.Context()); n != 0 || err != nil {
			t.Errorf("%d listings, %v; want none", n, err)
		}
	})
}

// TestRecordedPricesOfTheFormerSchema checks that price recording continues
// without repeated prices in a database of the former schema, which does not
// mark listings with recorded prices.
func TestRecordedPricesOfTheFormerSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gamedex.db")
	price := func(after catalog.Millis, current money.Amount, text string) catalog.Listing {
		l := console("TR", "a", noon+after)
		l.Price.Current, l.Price.CurrentText = current, text
		return l
	}
	save := func(lines ...catalog.Listing) (history []catalog.PriceChange) {
		db, err := database.Open(t.Context(), "sqlite:"+path, sqldb.Options{Create: true})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Listings.Save(t.Context(), lines); err != nil {
			t.Fatal(err)
		}
		if history, err = db.Listings.PriceHistory(t.Context(), lines[0].Key); err != nil {
			t.Fatal(err)
		}
		return history
	}
	// The last change changes the time and the text of the price, but not the amount.
	save(price(0, 300, ""), price(1, 200, ""), price(2, 200, "2 TL"))
	alter(t, path, "UPDATE listing SET flags = flags - 8", "DELETE FROM schema_version WHERE version_id >= 4")
	var got []catalog.Millis
	for _, c := range save(price(3, 100, "")) {
		got = append(got, c.At-noon)
	}
	if diff := cmp.Diff([]catalog.Millis{0, 1, 3}, got); diff != "" {
		t.Errorf("prices at (-want +got):\n%s", diff)
	}
}

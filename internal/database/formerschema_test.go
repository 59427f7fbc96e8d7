package database_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/database"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
)

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

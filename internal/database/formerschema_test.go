package database_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/database"
	"gamedex/internal/money"
	"gamedex/internal/quota"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/nodes"
)

// dropLater undoes the migrations after 00005.
const dropLater = "DROP TABLE node; DROP TABLE overrides; DROP TABLE collect_profile; DROP TABLE rates_day"

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
	alter(t, path, "UPDATE listing SET flags = flags - 8", "DROP TABLE usage_run", dropLater, "DELETE FROM schema_version WHERE version_id >= 4")
	var got []catalog.Millis
	for _, c := range save(price(3, 100, "")) {
		got = append(got, c.At-noon)
	}
	if diff := cmp.Diff([]catalog.Millis{0, 1, 3}, got); diff != "" {
		t.Errorf("prices at (-want +got):\n%s", diff)
	}
}

// TestUsageOfTheFormerSchema checks that the requests that each run of a process counted
// are added up, and that later batches add to them.
func TestUsageOfTheFormerSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gamedex.db")
	create := func() *database.DB {
		t.Helper()
		db, err := database.Open(t.Context(), "sqlite:"+path, sqldb.Options{Create: true})
		must(t, err)
		return db
	}
	must(t, create().Close())
	alter(t, path, "DROP TABLE usage", "DROP TABLE usage_run", dropLater, `CREATE TABLE usage (key_id TEXT NOT NULL, hour BIGINT NOT NULL, route TEXT NOT NULL,
		outcome TEXT NOT NULL, run TEXT NOT NULL, count BIGINT NOT NULL, PRIMARY KEY (key_id, hour, route, outcome, run))`,
		`INSERT INTO usage VALUES ('k', 10, '/r', 'ok', '', 1000), ('k', 10, '/r', 'ok', 'a', 1), ('k', 10, '/r', 'ok', 'b', 2),
		('k', 10, '/s', 'ok', 'b', 4), ('k', 10, '/r', 'refused', 'a', 50), ('k', 11, '/r', 'ok', 'a', 8), ('other', 11, '/r', 'ok', 'a', 16)`,
		"DELETE FROM schema_version WHERE version_id >= 5")
	db := create()
	defer db.Close()
	must(t, saveUsage(t, db, "c", 1, quota.UsageRow{KeyID: "k", Hour: 11, Route: "/r", Outcome: quota.OutcomeOK, Count: 32}))
	got, _ := usageOf(t, db, "k", "c")
	if diff := cmp.Diff(map[int64]int64{10: 1007, 11: 40}, got); diff != "" {
		t.Errorf("requests by hour (-want +got):\n%s", diff)
	}
	rows, err := db.Accounts.UsageByHour(t.Context(), []string{"k", "other"}, 0)
	if len(rows) != 4 || err != nil {
		t.Errorf("%d rows, want 4: %+v, %v", len(rows), rows, err)
	}
}

// TestRatesOfTheFormerSchema checks that the table of rates of the former schema is also
// that of the UTC day of its rates.
func TestRatesOfTheFormerSchema(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		for _, tt := range []struct {
			name string
			rows []string
			want []nodes.DayRates
		}{
			{"no table", nil, nil},
			{"a table", []string{fmt.Sprintf("INSERT INTO rates (one, body, updated_at, imported, source) VALUES (1, '%s', %d, 1, 'import')", ratesBody("USD"), noon)},
				[]nodes.DayRates{{Day: noon.Day(), Body: ratesBody("USD"), Source: "import", TakenAt: noon}}},
		} {
			dsn := e.dsn(t)
			db := open(t, dsn)
			execute(t, db, "DROP TABLE rates_day", "DELETE FROM schema_version WHERE version_id >= 10")
			execute(t, db, tt.rows...)
			if diff := cmp.Diff(tt.want, ratesOfDays(t, open(t, dsn), 0, noon.Day()+1)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
	})
}

package sqldb_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/quota"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/testing/historytest"
)

// dropLater undoes the migrations after 00005.
const (
	dropLater         = "DROP TABLE node; DROP TABLE overrides; DROP TABLE collect_profile; DROP TABLE rates_day; DROP TABLE history; " + dropMark + "; " + createPriceChange
	dropMark          = "ALTER TABLE listing DROP COLUMN part_mark; DROP TABLE watch; DROP TABLE webhook; DROP TABLE webhook_game; DROP TABLE webhook_message; DROP TABLE webhook_try; DELETE FROM counter WHERE name = 'webhook_change'; DROP TABLE lost_price; ALTER TABLE sweep DROP COLUMN priced; ALTER TABLE sweep DROP COLUMN unpriced"
	createPriceChange = `CREATE TABLE price_change (platform INTEGER NOT NULL, region TEXT NOT NULL, product TEXT NOT NULL, at BIGINT NOT NULL,
		currency TEXT NOT NULL, base BIGINT NOT NULL, current BIGINT NOT NULL, flags INTEGER NOT NULL, PRIMARY KEY (platform, region, product, at))`
)

// TestPriceChangesOfTheFormerSchema checks that the history begins with the price changes
// that a database of the former schema has.
func TestPriceChangesOfTheFormerSchema(t *testing.T) {
	t.Parallel()
	const long = 10_050 // changes, more than the migration reads at once
	price := func(after catalog.Millis, current money.Amount) history.Step {
		return history.Step{At: noon + after, State: history.Priced, Currency: "TRY", Base: 300, Current: current}
	}
	listing := func(product string, after catalog.Millis, current money.Amount) catalog.Listing {
		l := console("TR", product, noon+after)
		l.Price.Base, l.Price.Current = 300, current
		return l
	}
	change := func(product string, s history.Step, flags int) string {
		return fmt.Sprintf("INSERT INTO price_change VALUES (1, 'TR', '%s', %d, '%s', %d, %d, %d)", product, s.At, s.Currency, s.Base, s.Current, flags)
	}
	doubtful, left := listing("doubtful", 5, 200), listing("left", 1, 200)
	doubtful.Price.Source, doubtful.Price.DiscountEndsAt = catalog.SourceDoubtful, noon+9
	gone := func(product string) catalog.Listing {
		return catalog.Listing{Key: listing(product, 0, 0).Key, ObservedAt: noon + 7, Withdrawn: true}
	}
	trial, inDoubt, unpriced := price(3, 0), price(5, 200), listing("unpriced", 4, 0)
	trial.Trial, inDoubt.Doubtful, inDoubt.EndsAt, unpriced.Price = true, true, noon+9, nil
	var many []history.Step
	for i := range catalog.Millis(long) {
		many = append(many, price(i, money.Amount(1+i%2)))
	}
	want := map[string][]history.Step{
		"single":   {price(0, 300)},
		"changed":  {price(0, 300), price(1, 200), trial, price(4, 100)},
		"doubtful": {price(0, 300), price(1, 200), inDoubt},
		"left":     {price(0, 300), price(1, 200), history.StepGone(noon + 7)},
		"gone":     {price(2, 300), history.StepGone(noon + 7)},
		"unpriced": {price(0, 300), history.StepOf(noon+4, nil)},
		"long":     many,
	}
	onEachEngine(t, func(t *testing.T, e testEngine) {
		dsn := e.dsn(t)
		db, err := sqldb.Open(t.Context(), dsn, engine.Options{Create: true})
		must(t, err)
		for _, l := range []catalog.Listing{listing("single", 0, 300), listing("changed", 4, 100), doubtful, left, gone("left"), listing("gone", 2, 300),
			gone("gone"), unpriced, listing("long", long-1, 1+(long-1)%2)} {
			_, err := db.Listings.Save(t.Context(), []catalog.Listing{l})
			must(t, err)
		}
		execute(t, db, "DROP TABLE history", dropMark, createPriceChange, "DELETE FROM schema_version WHERE version_id >= 10")
		for product, steps := range map[string][]history.Step{"changed": want["changed"], "doubtful": want["doubtful"][:2], "left": want["left"][:2]} {
			for _, s := range steps {
				execute(t, db, change(product, s, map[bool]int{false: 1, true: 3}[s.Trial]))
			}
		}
		execute(t, db, change("unpriced", want["unpriced"][0], 1), change("unpriced", want["unpriced"][1], 0),
			fmt.Sprintf(`INSERT INTO price_change WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
				SELECT 1, 'TR', 'long', %d + i, 'TRY', 300, 1 + i %% 2, 1 FROM n`, long-1, int64(noon)))
		must(t, db.Close())
		db = open(t, dsn)
		for product, steps := range want {
			got, err := db.Listings.History(t.Context(), listing(product, 0, 0).Key)
			must(t, err)
			wantSame(t, product, steps, got)
		}
		var rows int
		_, err = db.FindRow(t.Context(), "count", "SELECT count(*) FROM history WHERE product = 'single'", nil, []any{&rows})
		if err != nil || rows != 0 {
			t.Errorf("%d rows of a listing that never changed: %v", rows, err)
		}
	})
}

// TestHistoryOfTheFormerSchema checks that rows of the former version and of more steps, in
// the former table, are read and continued.
func TestHistoryOfTheFormerSchema(t *testing.T) {
	t.Parallel()
	const long = 128 + 100 // steps
	at := func(region, product string, i int) catalog.Listing {
		l := console(region, product, noon+catalog.Millis(i))
		l.Price.Current = money.Amount(1 + i%2)
		return l
	}
	onEachEngine(t, func(t *testing.T, e testEngine) {
		dsn := e.dsn(t)
		db, err := sqldb.Open(t.Context(), dsn, engine.Options{Create: true})
		must(t, err)
		lines := []catalog.Listing{at("TR", "long", long-1), at("TR", "full", 127), at("UA", "short", 1)}
		save(t, db, catalog.SaveCounts{New: len(lines)}, lines...)
		if e.name == "SQLite" {
			execute(t, db, "DROP TABLE history", `CREATE TABLE history (platform INTEGER NOT NULL, region TEXT NOT NULL, product TEXT NOT NULL,
				at BIGINT NOT NULL, steps BYTEA NOT NULL, PRIMARY KEY (platform, region, product, at))`)
		}
		execute(t, db, dropMark, "DELETE FROM schema_version WHERE version_id >= 13", "UPDATE meta SET value = '12' WHERE name = 'oldest_schema'")
		want := map[catalog.Key][]history.Step{}
		for i := len(lines) - 1; i >= 0; i-- { // not in the order of the keys
			l := lines[i]
			for j := range int(l.ObservedAt-noon) + 1 {
				want[l.Key] = append(want[l.Key], history.StepOf(noon+catalog.Millis(j), at("TR", "", j).Price))
			}
			for steps := range slices.Chunk(want[l.Key], 128) {
				_, err := db.Exec(t.Context(), "insert", "WITH unlocked AS (SELECT 1) INSERT INTO history VALUES (1, $1, $2, $3, $4)",
					l.Region.String(), l.Product, int64(steps[0].At), historytest.FormerRow(steps))
				must(t, err)
			}
		}
		must(t, db.Close())
		db = open(t, dsn)
		wantHistories := func(when string) {
			for key, steps := range want {
				got, err := db.Listings.History(t.Context(), key)
				must(t, err)
				wantSame(t, fmt.Sprintf("%s, %v", when, key), steps, got)
			}
			wantWhole(t, db)
		}
		wantHistories("as it was")
		for range 70 {
			for i := range lines {
				next := at(lines[i].Region.String(), lines[i].Product, int(lines[i].ObservedAt-noon)+1)
				save(t, db, catalog.SaveCounts{Changed: 1}, next)
				lines[i], want[next.Key] = next, append(want[next.Key], history.StepOf(next.ObservedAt, next.Price))
			}
		}
		wantHistories("continued")
		oldest := ""
		_, err = db.FindRow(t.Context(), "read", "SELECT value FROM meta WHERE name = 'oldest_schema'", nil, []any{&oldest})
		if err != nil || oldest != "13" {
			t.Errorf("the oldest program that may run is that of schema %s, want 13: %v", oldest, err)
		}
	})
}

// TestUsageOfTheFormerSchema checks that the requests that each run of a process counted
// are added up, and that later batches add to them.
func TestUsageOfTheFormerSchema(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "gamedex.db")
	create := func() *sqldb.DB {
		t.Helper()
		db, err := sqldb.Open(t.Context(), "sqlite:"+path, engine.Options{Create: true})
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
	wantSame(t, "requests by hour", map[int64]int64{10: 1007, 11: 40}, got)
	rows, err := db.Accounts.UsageByHour(t.Context(), []string{"k", "other"}, 0)
	if len(rows) != 4 || err != nil {
		t.Errorf("%d rows, want 4: %+v, %v", len(rows), rows, err)
	}
}

// TestRatesOfTheFormerSchema checks that the table of rates of the former schema is also
// that of the UTC day of its rates.
func TestRatesOfTheFormerSchema(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e testEngine) {
		for _, tt := range []struct {
			name string
			rows []string
			want []history.DayRates
		}{
			{"no table", nil, nil},
			{"a table", []string{fmt.Sprintf("INSERT INTO rates (one, body, updated_at, imported, source) VALUES (1, '%s', %d, 1, 'import')", ratesBody("USD"), noon)},
				[]history.DayRates{{Day: noon.Day(), Body: ratesBody("USD"), Source: "import", TakenAt: noon}}},
		} {
			dsn := e.dsn(t)
			db := open(t, dsn)
			execute(t, db, "DROP TABLE rates_day", "DROP TABLE history", dropMark, createPriceChange, "DELETE FROM schema_version WHERE version_id >= 9")
			execute(t, db, tt.rows...)
			wantSame(t, tt.name, tt.want, ratesOfDays(t, open(t, dsn), 0, noon.Day()+1))
		}
	})
}

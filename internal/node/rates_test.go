package node

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

// TestRatesOfTheDay checks that a table that an operator imports and one that is fetched
// are kept as those of the day of the clock, whatever the time of their rates.
func TestRatesOfTheDay(t *testing.T) {
	dir := t.TempDir()
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(dir, "gamedex.db"), engine.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	now := time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC)
	table := func(hryvnias string) money.Rates {
		t.Helper()
		r, err := money.NewRates("USD", map[money.Currency]string{"UAH": hryvnias}, now.Add(-48*time.Hour).UnixMilli())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := table("41")
	if err := SaveRates(t.Context(), db, first, "import", now); err != nil {
		t.Fatal(err)
	}
	want := []history.DayRates{{Day: catalog.MillisOf(now).Day(), Body: first.AppendJSON(nil), Source: "import", TakenAt: catalog.MillisOf(now)}}

	now = now.Add(2 * time.Hour)
	second := table("42")
	file := filepath.Join(dir, "rates.json")
	if err := os.WriteFile(file, second.AppendJSON(nil), 0o600); err != nil {
		t.Fatal(err)
	}
	loop, err := RateConfig{From: file}.Open(Environment{DB: db, ActiveRegions: []catalog.Region{{'U', 'A'}},
		Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if result, err := loop.Refresh(t.Context()); err != nil || !result.Changed {
		t.Fatalf("Refresh: %+v, %v", result, err)
	}
	want = append(want, history.DayRates{Day: want[0].Day + 1, Body: second.AppendJSON(nil), Source: "file", TakenAt: catalog.MillisOf(now)})
	if diff := cmp.Diff(want, ratesOfDays(t, db, want[1].Day)); diff != "" {
		t.Errorf("tables of days (-want +got):\n%s", diff)
	}
}

// ratesOfDays returns the tables of all days up to one.
func ratesOfDays(t *testing.T, db *sqldb.DB, last int64) (list []history.DayRates) {
	t.Helper()
	err := db.Nodes.EachDayRates(t.Context(), 0, last, func(r history.DayRates) error {
		r.Body = slices.Clone(r.Body)
		list = append(list, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

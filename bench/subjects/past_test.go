package subjects

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/sample"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
)

// newPastDatabase returns a database with a sample and its past prices.
func newPastDatabase(t *testing.T, s *sample.Sample, regions int) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"), engine.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	var lines []catalog.Listing
	var past []history.Series
	for l := range s.Listings(regions) {
		lines = append(lines, *l)
	}
	for series := range s.Series(regions) {
		series.Steps = append([]history.Step(nil), series.Steps...)
		past = append(past, series)
	}
	for batch := range slices.Chunk(lines, listings.MaxBatch) {
		if _, err := db.Listings.Save(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	for batch := range slices.Chunk(past, listings.MaxBatch) {
		if _, err := db.Listings.SaveHistory(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func TestBothSidesHaveTheSameSeries(t *testing.T) {
	const cards, regions = 100, 3
	s := sample.New(2, cards)
	s.Steps = historySteps
	p := past{db: newPastDatabase(t, s, regions)}
	var err error
	file := filepath.Join(t.TempDir(), "changes.db")
	if p.changes, err = alternatives.OpenPriceChanges(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	defer p.changes.Close()
	if err := p.fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(p.keys) != cards*regions || p.steps != cards*regions*historySteps {
		t.Errorf("%d series with %d steps", len(p.keys), p.steps)
	}
	if err := p.check(t.Context()); err != nil {
		t.Error(err)
	}
	for _, reader := range p.readers(t.Context()) {
		if _, err := reader.Round(t.Context()); err != nil {
			t.Errorf("%s: %v", reader.Name, err)
		}
	}
	p.keys = p.keys[1:]
	if _, err := p.readers(t.Context())[1].Round(t.Context()); err == nil {
		t.Error("a missing series is no error")
	}
	sizes, err := alternatives.TableSizes(t.Context(), file)
	if rows := sizes["price_change"]; err != nil || rows < float64(p.steps*50) || rows >= sizes[alternatives.AllTables] {
		t.Errorf("sizes %v, %v", sizes, err)
	}
}

func TestBuildersWithAndWithoutPast(t *testing.T) {
	const regions = 3
	s := sample.New(2, 100)
	s.Steps = historySteps
	r, err := harness.NewRun(t.TempDir(), "../..", true, 1, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	p := &pastBuilds{run: r, db: newPastDatabase(t, s, regions), results: harness.NewResults(),
		changes: &priceChanges{sample: s, regions: regions, at: sample.Observed(), rng: r.Rng(9)}}
	for _, side := range []string{scaleWithout, scalePast} {
		if err := p.measure(t.Context(), side); err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{scaleLoad, scaleDay, scaleSweep} {
			if f, ok := p.results.Of(kind+side, harness.Time); !ok || f.Low <= 0 {
				t.Errorf("%s%s took %v", kind, side, f)
			}
		}
	}
}

// TestWithoutPastHasNoLows checks what the other side of the sweeps leaves out.
func TestWithoutPastHasNoLows(t *testing.T) {
	s := sample.New(2, 50)
	s.Steps = historySteps
	db := newPastDatabase(t, s, 2)
	for name, start := range map[string]func(context.Context, *sqldb.DB, string) (*harness.Builder, error){
		scalePast: harness.StartBuilder, scaleWithout: harness.StartBuilderWithoutPast,
	} {
		b, err := start(t.Context(), db, filepath.Join(t.TempDir(), "snapshots"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		v, err := b.OpenNewest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := changedRows(v); (n > 0) != (name == scalePast) {
			t.Errorf("%s: %d rows have a past", name, n)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

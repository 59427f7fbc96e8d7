package importer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/feed/importer"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
)

func openDatabase(t testing.TB) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"), engine.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// export returns the whole database in the feed format.
func export(t testing.TB, db *sqldb.DB) string {
	t.Helper()
	var b strings.Builder
	w := feed.NewWriter(&b)
	if err := db.Listings.Export(t.Context(), listings.Filter{}, func(l *catalog.Listing) error { return w.Write(l) }); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestExportImport checks that an export can be imported into a new database without
// loss, including withdrawn listings and first times, and that importing it into the
// old database changes nothing.
func TestExportImport(t *testing.T) {
	golden, err := os.ReadFile("../testdata/export.golden") // a line of each kind
	if err != nil {
		t.Fatal(err)
	}
	db := openDatabase(t)
	withdraw := options(region("TR", 1, 20, 3))
	withdraw.Complete = scope(t, "consolestore:TR")
	for _, o := range []importer.Options{
		options(region("TR", 0, 20, 1) + string(golden)),
		withdraw,
		options(region("TR", 5, 6, 0) + strings.ReplaceAll(string(golden), `,"withdrawn":true`, ``)), // older
	} {
		if _, err := importer.Import(t.Context(), db.Listings, o); err != nil {
			t.Fatal(err)
		}
	}
	exported := export(t, db)
	if n := strings.Count(exported, `"withdrawn":true`); n != 2 {
		t.Errorf("%d listings are withdrawn, want P0 and the example:\n%s", n, exported)
	}
	again := openDatabase(t)
	if _, err := importer.Import(t.Context(), again.Listings, options(exported)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(exported, export(t, again)); diff != "" {
		t.Error(diff)
	}
	got, err := importer.Import(t.Context(), db.Listings, options(exported))
	if err != nil || got.Saved.Unchanged != got.Read {
		t.Errorf("into the old database: %+v, %v", got.Saved, err)
	}
}

// BenchmarkImport imports new listings into SQLite; its listings/s compare
// with those of a bare Save.
func BenchmarkImport(b *testing.B) {
	text := benchLines(20_000, 0, 0)
	listings := 0
	for b.Loop() {
		b.StopTimer()
		db := openDatabase(b)
		b.StartTimer()
		got, err := importer.Import(b.Context(), db.Listings, options(text))
		if err != nil {
			b.Fatal(err)
		}
		listings += got.Saved.New
	}
	b.ReportMetric(float64(listings)/b.Elapsed().Seconds(), "listings/s")
}

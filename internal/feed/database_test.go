package feed_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/database"
	"gamedex/internal/feed"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
)

func openDatabase(t testing.TB) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"), sqldb.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// export returns the whole database in the feed format.
func export(t testing.TB, db *database.DB) string {
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
	db := openDatabase(t)
	withdraw := options(region("TR", 1, 20, 3))
	withdraw.Complete = scope(t, "consolestore:TR")
	for _, o := range []feed.Options{
		options(region("TR", 0, 20, 1) + exampleConsole + "\n" + examplePC + "\n" + fullLine + "\n" + pc(`"price":{"currency":"TRY","base":200,"current":100}`)),
		withdraw,
		options(region("TR", 5, 6, 0) + strings.Replace(fullLine, `,"withdrawn":true`, ``, 1)),
	} {
		if _, err := feed.Import(t.Context(), db.Listings, o); err != nil {
			t.Fatal(err)
		}
	}
	exported := export(t, db)
	if n := strings.Count(exported, `"withdrawn":true`); n != 2 {
		t.Errorf("%d listings are withdrawn, want P0 and the example:\n%s", n, exported)
	}
	again := openDatabase(t)
	if _, err := feed.Import(t.Context(), again.Listings, options(exported)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(exported, export(t, again)); diff != "" {
		t.Error(diff)
	}
	got, err := feed.Import(t.Context(), db.Listings, options(exported))
	if err != nil || got.Saved.Unchanged != got.Read {
		t.Errorf("into the old database: %+v, %v", got.Saved, err)
	}
}

// BenchmarkImport imports new listings into SQLite; its listings/s compare
// with those of a bare Save.
func BenchmarkImport(b *testing.B) {
	var text strings.Builder
	for i := range 20000 {
		text.WriteString(strings.Replace(exampleConsole, "EXAMPLEGAME00000", fmt.Sprintf("EXAMPLEGAME%05d", i), 1) + "\n")
	}
	listings := 0
	for b.Loop() {
		b.StopTimer()
		db := openDatabase(b)
		b.StartTimer()
		got, err := feed.Import(b.Context(), db.Listings, options(text.String()))
		if err != nil {
			b.Fatal(err)
		}
		listings += got.Saved.New
	}
	b.ReportMetric(float64(listings)/b.Elapsed().Seconds(), "listings/s")
}

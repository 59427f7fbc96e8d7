package importer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// benchRegions are the regions of the imported lines.
var benchRegions = []struct{ code, locale, currency string }{
	{"UA", "uk-UA", "UAH"}, {"TR", "tr-TR", "TRY"}, {"PL", "pl-PL", "PLN"}, {"IN", "en-IN", "INR"},
}

// benchLines returns n lines, product by product, with different prices. It adds cents
// to each price and seconds to each time.
func benchLines(n, cents, seconds int) string {
	var b strings.Builder
	at := now.Add(time.Duration(seconds-3600) * time.Second).Format(time.RFC3339)
	for i := range n {
		game, r := i/len(benchRegions), benchRegions[i%len(benchRegions)]
		product := fmt.Sprintf("EP%04d-PPSA%05d_00-EXAMPLE%09d", game%9000, game%100000, game)
		title, level := fmt.Sprintf("Example Game %d", game), 1000+game*31%9000
		fmt.Fprintf(&b, `{"platform":"consolestore","region":%q,"product":%q,"family":"%d","familyName":%q,`+
			`"titleIds":["PPSA%05d"],"title":%q,"locale":%q,"invariantName":%q,"type":"game","publisher":"Invented Works",`+
			`"releaseDate":"2024-05-17","genres":["Action"],"platforms":["PS5"],"storeUrl":"https://console.example/%s/product/%s",`+
			`"images":{"cover":"https://images.example/%s.png"},"popularity":%d,`+
			`"price":{"currency":%q,"base":%d,"current":%d,"source":"graphql"},"observedAt":%q}`+"\n",
			r.code, product, 10_000_000+game, title, game%100000, title, r.locale, title,
			strings.ToLower(r.locale), product, product, game%10_000, r.currency, 2*level, level+cents, at)
	}
	return b.String()
}

// BenchmarkImport imports listings into SQLite that are new, that have only been seen again,
// and whose prices have changed; new/s compares with the rate of a bare Save.
func BenchmarkImport(b *testing.B) {
	const n = 20_000
	passes := []struct{ name, text string }{{"new", benchLines(n, 0, 0)}, {"unchanged", benchLines(n, 0, 1)}, {"repriced", benchLines(n, 1, 2)}}
	took := map[string]time.Duration{}
	for range b.N {
		db := openDatabase(b)
		for _, pass := range passes {
			start := time.Now()
			if got, err := importer.Import(b.Context(), db.Listings, options(pass.text)); err != nil || got.Read != n {
				b.Fatalf("%+v, %v", got, err)
			}
			took[pass.name] += time.Since(start)
		}
	}
	for name, d := range took {
		b.ReportMetric(float64(n*b.N)/d.Seconds(), name+"/s")
	}
}

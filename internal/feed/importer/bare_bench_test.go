package importer_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/feed/importer"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
)

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

// BenchmarkImportBesideBare compares in each round the rows per second of an import and
// of a plain loop of upserts: for new rows, and for new prices of all rows. "again" is
// a second price change, after the first has been recorded.
func BenchmarkImportBesideBare(b *testing.B) {
	const n = 100_000
	passes := []struct{ name, text string }{
		{"new", benchLines(n, 0, 0)}, {"unchanged", benchLines(n, 0, 1)},
		{"repriced", benchLines(n, 1, 2)}, {"again", benchLines(n, 2, 3)}, {"same", benchLines(n, 2, 3)},
	}
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
		bare := openBare(b)
		for i, name := range []string{"bare-new", "bare-over"} {
			ls := parsed(b, benchLines(n, i, i))
			start := time.Now()
			for batch := range slices.Chunk(ls, listings.MaxBatch) {
				if err := bareUpserts(b.Context(), bare, int64(i+1), batch); err != nil {
					b.Fatal(err)
				}
			}
			took[name] += time.Since(start)
		}
	}
	for name, d := range took {
		b.ReportMetric(float64(n*b.N)/d.Seconds(), name+"/s")
	}
	b.ReportMetric(float64(took["bare-new"])/float64(took["new"]), "new:bare")
	b.ReportMetric(float64(took["bare-over"])/float64(took["repriced"]), "repriced:bare")
	b.ReportMetric(float64(took["bare-over"])/float64(took["again"]), "again:bare")
}

func parsed(b *testing.B, text string) (ls []catalog.Listing) {
	r, err := feed.NewReader(strings.NewReader(text), clock)
	for l := (catalog.Listing{}); err == nil; {
		if _, err = r.Next(&l); err == nil {
			ls = append(ls, l)
		}
	}
	if err != io.EOF {
		b.Fatal(err)
	}
	return ls
}

// openBare creates a database with the same schema and durability, and opens it
// without the rules of this program.
func openBare(b *testing.B) *sql.DB {
	path := filepath.Join(b.TempDir(), "bare.db")
	db, err := sqldb.Open(b.Context(), "sqlite:"+path, engine.Options{Create: true})
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	pool, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_synchronous=FULL&_journal_mode=WAL"+
		"&_pragma=cache_size(-65536)&_pragma=wal_autocheckpoint(4000)")
	if err != nil {
		b.Fatal(err)
	}
	pool.SetMaxOpenConns(1)
	b.Cleanup(func() { pool.Close() })
	return pool
}

// bareUpserts only writes rows. It does not read, decide, hash or share anything, and
// it omits facts and prose.
func bareUpserts(ctx context.Context, pool *sql.DB, generation int64, ls []catalog.Listing) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	stmt, err := tx.PrepareContext(ctx, bareUpsert)
	if err != nil {
		return err
	}
	hash := make([]byte, 16)
	for i := range ls {
		l, p, at := &ls[i], ls[i].Price, int64(ls[i].ObservedAt)
		_, err := stmt.Exec(int64(l.Platform), l.Region.String(), l.Product, generation, at, at, at, at, l.Withdrawn,
			string(p.Currency), int64(p.Base), int64(p.Current), p.BaseText, p.CurrentText, p.DiscountPercent,
			p.DiscountLabel, int64(p.DiscountEndsAt), int64(1), p.Source, l.Popularity, l.Locale, l.StoreURL,
			int64(i), int64(i), hash, hash)
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

const bareUpsert = `INSERT INTO listing VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,0,0)
	ON CONFLICT (platform, region, product) DO UPDATE SET generation = excluded.generation,
	first_seen = excluded.first_seen, observed_at = excluded.observed_at, seen_at = excluded.seen_at,
	priced_at = excluded.priced_at, withdrawn = excluded.withdrawn, currency = excluded.currency, base = excluded.base,
	current = excluded.current, base_text = excluded.base_text, current_text = excluded.current_text,
	discount_percent = excluded.discount_percent, discount_label = excluded.discount_label,
	discount_ends_at = excluded.discount_ends_at, flags = excluded.flags, source = excluded.source,
	popularity = excluded.popularity, locale = excluded.locale, store_url = excluded.store_url,
	facts_id = excluded.facts_id, prose_id = excluded.prose_id, content_hash = excluded.content_hash,
	price_hash = excluded.price_hash`

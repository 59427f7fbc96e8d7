package sqldb_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
)

// manyListings returns n console listings in four regions. Pairs of regions have the
// same facts and prose.
func manyListings(n int, at catalog.Millis) []catalog.Listing {
	regions := []catalog.Region{{'U', 'A'}, {'T', 'R'}, {'P', 'L'}, {'I', 'N'}}
	ls := make([]catalog.Listing, n)
	for i := range ls {
		game := i / 4
		r := regions[i%4]
		product := fmt.Sprintf("EP%04d-PPSA%05d_00-EXAMPLEGAME%05d", game%9000, game%90000, game)
		ls[i] = catalog.Listing{
			Key: catalog.Key{Platform: catalog.ConsoleStore, Region: r, Product: product},
			Facts: catalog.Facts{
				Family: fmt.Sprint(10000000 + game), FamilyName: fmt.Sprintf("Example Game %d", game),
				TitleIDs: []string{fmt.Sprintf("PPSA%05d", game%90000)}, Title: fmt.Sprintf("Example Game %d", game),
				InvariantName: fmt.Sprintf("Example Game %d", game),
				Type:          catalog.Game, Platforms: []string{"PS5"},
			},
			Prose:    catalog.Prose{Publisher: "Example Publisher", Cover: "https://img.example.com/" + product + ".png"},
			Locale:   []string{"uk", "en"}[i%2],
			StoreURL: "https://store.example.com/" + r.Lower() + "/product/" + product,
			Price: &catalog.Price{Currency: "TRY", Base: 174900, Current: 87450, BaseText: "1.749,00 TL",
				CurrentText: "874,50 TL", DiscountPercent: 50, DiscountEndsAt: at + 86400000, Source: "graphql"},
			ObservedAt: at,
		}
	}
	return ls
}

func BenchmarkSave(b *testing.B) {
	const n = 100_000
	ls := manyListings(n, 1_700_000_000_000)
	for _, pass := range []struct {
		name   string
		before func(ls []catalog.Listing)
		stored bool
	}{
		{"new", func([]catalog.Listing) {}, false},
		{"unchanged", func(ls []catalog.Listing) {
			for i := range ls {
				ls[i].ObservedAt++
			}
		}, true},
		{"same", func([]catalog.Listing) {}, true},
		{"repriced", func(ls []catalog.Listing) {
			for i := range ls {
				p := *ls[i].Price
				p.Current--
				ls[i].Price = &p
				ls[i].ObservedAt++
			}
		}, true},
	} {
		b.Run(pass.name, func(b *testing.B) {
			var took time.Duration
			for range b.N {
				b.StopTimer()
				db, err := sqldb.Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "bench.db"), engine.Options{Create: true})
				must(b, err)
				mine := append([]catalog.Listing(nil), ls...)
				if pass.stored {
					saveAll(b, db, mine)
				}
				pass.before(mine)
				b.StartTimer()
				start := time.Now()
				saveAll(b, db, mine)
				took += time.Since(start)
				b.StopTimer()
				db.Close()
			}
			b.ReportMetric(float64(n*b.N)/took.Seconds(), "rows/s")
		})
	}
}

func BenchmarkChanges(b *testing.B) {
	const n = 100_000
	db := open(b, engines()[0].dsn(b))
	saveAll(b, db, manyListings(n, 1_700_000_000_000))
	for b.Loop() {
		if got := newFollower().follow(b, db); got != n {
			b.Fatalf("%d changes, want %d", got, n)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "rows/s")
}

func saveAll(tb testing.TB, db *sqldb.DB, ls []catalog.Listing) (c catalog.SaveCounts) {
	tb.Helper()
	for len(ls) > 0 {
		n := min(len(ls), listings.MaxBatch)
		counts, err := db.Listings.Save(tb.Context(), ls[:n])
		must(tb, err)
		c, ls = c.Add(counts), ls[n:]
	}
	return c
}

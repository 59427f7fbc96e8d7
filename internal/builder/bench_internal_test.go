package builder

import (
	"fmt"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
	"gamedex/internal/index"
	"gamedex/internal/money"
	"gamedex/internal/publish"
	"gamedex/internal/sqldb/listings"
	ct "gamedex/internal/testing/catalogtest"
)

// The catalog of BenchmarkBuild: 20,000 products in 20 regions.
const (
	benchProducts = 20_000
	benchRegions  = "AR AU BR CA DE ES FR GB IN IT JP KZ MX NL PL SE TR UA US ZA"
)

// benchListing returns a product at its day's price: stores have some hundreds
// of price points in a region.
func benchListing(n, region, day int) catalog.Listing {
	family := fmt.Sprint(n)
	amount := money.Amount(99 + 500*((n*7919+day*31)%60) + 37*region)
	l := ct.Console("UA", fmt.Sprintf("EP%04d-PPSA%05d_00-STARFORGE%07d", n%90, n, n), ct.Family(family), ct.FamilyName("Star Forge "+family),
		ct.Name("Star Forge "+family), ct.Title("Star Forge "+family), ct.Platforms("PS5"), ct.Popularity(float64(n)), ct.On(day))
	l.Region = ct.Regions(benchRegions[3*region : 3*region+2])[0]
	l.StoreURL = "https://store.example/" + l.Region.String() + "/" + l.Product
	l.Price = &catalog.Price{Currency: "EUR", Base: amount, Current: amount, DiscountPercent: catalog.NoPercent}
	if (n+day)%10 == 0 {
		l.Price.Current, l.Price.DiscountPercent, l.Price.DiscountEndsAt = amount/2, 50, ct.Day(40+n%10)
	}
	return l
}

// saveIf saves the listings of a day for which chosen holds.
func saveIf(b *testing.B, db source, day int, chosen func(n, region int) bool) {
	var lines []catalog.Listing
	flush := func() {
		if _, err := db.Listings.Save(b.Context(), lines); err != nil {
			b.Fatal(err)
		}
		lines = lines[:0]
	}
	for n := range benchProducts {
		for region := range (len(benchRegions) + 1) / 3 {
			if !chosen(n, region) {
				continue
			}
			if lines = append(lines, benchListing(n, region, day)); len(lines) == listings.MaxBatch {
				flush()
			}
		}
	}
	flush()
}

// BenchmarkBuild measures the time from a saved listing to a snapshot that a
// node has opened: with a builder that has read nothing yet, and with a running
// one after a sweep of one region and after price changes of one listing in a
// hundred.
func BenchmarkBuild(b *testing.B) {
	db := openDatabase(b)
	saveIf(b, db, 1, func(int, int) bool { return true })
	b.Run("empty", func(b *testing.B) {
		for b.Loop() {
			newStepped(b, db, override.Set{}).step()
		}
	})
	warm := newStepped(b, db, override.Set{})
	var live index.Live
	node := publish.NewFollower(warm.cfg.Bucket, &live, func(err error) { b.Error(err) })
	visible := func() {
		warm.try(nil)
		if swapped, err := node.Poll(b.Context()); !swapped || err != nil {
			b.Fatalf("the node sees nothing new: %v", err)
		}
	}
	visible()
	day := 1
	for name, chosen := range map[string]func(n, region int) bool{
		"sweep":  func(_, region int) bool { return region == 7 },
		"random": func(n, region int) bool { return (n*20+region)*2_654_435_761>>16%100 == day%100 },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				day++
				saveIf(b, db, day, chosen)
				b.StartTimer()
				visible()
			}
			if !warm.report.PricesAlone {
				b.Error("more than prices changed")
			}
		})
	}
}

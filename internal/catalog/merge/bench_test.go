package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
)

var sizes = []struct{ products, regions int }{{10_000, 4}, {5_000, 60}}

// BenchmarkMerge merges products x regions listings: families of four
// products, each with its own title and facts in every language.
func BenchmarkMerge(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("%dx%d", size.products, size.regions), func(b *testing.B) {
			entries := manyEntries(size.products, size.regions)
			for b.Loop() {
				merge.Merge(entries, override.Set{})
			}
		})
	}
}

// BenchmarkCompose composes the cards of the same listings.
func BenchmarkCompose(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("%dx%d", size.products, size.regions), func(b *testing.B) {
			entries := manyEntries(size.products, size.regions)
			groups := merge.Merge(entries, override.Set{})
			active := allRegions()[:4]
			for b.Loop() {
				merge.Compose(groups, entries, active, nil)
			}
		})
	}
}

func allRegions() []catalog.Region {
	var regions []catalog.Region
	for a := byte('A'); a <= 'Z'; a++ {
		for c := byte('A'); c <= 'Z'; c++ {
			if r, err := catalog.ParseRegion(string([]byte{a, c})); err == nil {
				regions = append(regions, r)
			}
		}
	}
	return regions
}

// manyEntries returns entries sorted by region, as a database stores them.
func manyEntries(products, regions int) []catalog.Entry {
	locales := strings.Fields("uk ru tr pl en de fr es it pt ja ko zh-Hans zh-Hant cs sk hu ro nl sv")
	languages := len(locales)
	editions := []string{"", " Deluxe Edition", " Gold Edition PS4 & PS5", " Season Pass"}
	facts := make([]*catalog.Facts, products*languages)
	ids := make([]string, products)
	for n := range products {
		name := fmt.Sprintf("Some Longer Game Name %d", n/4)
		ids[n] = fmt.Sprintf("EP%04d-PPSA%05d_00-GAME%012d", n%9999, n/4%99999, n)
		for l := range languages {
			f := catalog.Facts{
				Family: fmt.Sprint(10000000 + n/4), FamilyName: name + "™",
				InvariantName: name + "™" + editions[n%4], Type: catalog.Game,
				Title:    fmt.Sprintf("Титул %d %d", l, n/4) + editions[n%4],
				TitleIDs: []string{fmt.Sprintf("PPSA%05d", n/4%99999)}, Platforms: []string{"PS5"},
			}
			if n%4 == 3 {
				f.Type = catalog.DLC
			}
			facts[n*languages+l] = &f
		}
	}
	entries := make([]catalog.Entry, 0, products*regions)
	for r, region := range allRegions()[:regions] {
		for n := range products {
			entries = append(entries, catalog.Entry{
				Platform: catalog.ConsoleStore, Region: region, Product: ids[n], Facts: facts[n*languages+r%languages],
				Locale: locales[r%languages], FirstSeen: 1, ObservedAt: 1,
			})
		}
	}
	return entries
}

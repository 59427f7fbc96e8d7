package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	. "gamedex/internal/testing/catalogtest"
)

// front is a part of the world in which products have the same ids.
type front struct {
	prefix   string
	regions  []string
	language string // of some titles
}

var fronts = []front{
	{"UP", []string{"US", "BR"}, "en"}, {"EP", []string{"PL", "TR", "UA"}, "pl"}, {"JP", []string{"JP"}, "ja"}, {"HP", []string{"IN", "HK"}, "en"},
}

// kind is a product of a family that is one card in all regions.
type kind struct {
	name, edition string // what follows the family's name, in English
	local         map[string]string
	class         catalog.Type
	platform      string
	demo          bool
}

// kindsOf returns the products of a family: games that differ in edition or console,
// add-ons, a bundle, a demo.
func kindsOf(n int) []kind {
	list := []kind{{}}
	switch n % 6 {
	case 0:
		list = []kind{{name: " PS4", platform: "PS4"}, {name: " PS5", platform: "PS5"}}
	case 1:
		list = append(list, kind{name: " Deluxe Edition", edition: "Deluxe Edition", class: catalog.EditionType,
			local: map[string]string{"pl": " Edycja Deluxe", "ja": " デラックスエディション"}})
	case 2:
		list = append(list, kind{name: ": Gold", edition: "Gold", class: catalog.EditionType}, kind{name: " Season Pass", class: catalog.SeasonPass})
	case 3:
		list = append(list, kind{name: " - Hat", class: catalog.DLC}, kind{name: " - 500 Coins", class: catalog.DLC}, kind{name: " - 900 Coins", class: catalog.DLC})
	case 4:
		list = append(list, kind{name: " + Dust Runner Bundle", class: catalog.Bundle}, kind{name: " Demo", demo: true})
	}
	return list
}

// oracle returns a listing of each product of 156 families in 8 regions, and which card
// each product belongs to. Product ids and their last 16 characters differ in each front.
// In each third family the titles of one front are in another language; the platforms
// are given for half of the families that need them.
func oracle() (lines []catalog.Listing, truth map[string]string) {
	truth = map[string]string{}
	for n := range 156 {
		family := fmt.Sprintf("%s %s", []string{"Star", "Moon", "Dust", "Night", "Ember", "Frost"}[n%6], []string{"Forge", "Runner", "Keeper", "Harbour"}[n/6%4]) + fmt.Sprint(" ", n)
		for k, of := range kindsOf(n) {
			for f, in := range fronts {
				product := fmt.Sprintf("%s%04d-PPSA%05d_00-%04d%02d%010d", in.prefix, n, n, n, k, f)
				truth[product] = fmt.Sprint(family, of.name)
				for r, region := range in.regions {
					title := []string{family, strings.ToUpper(family), family + "™"}[r%3]
					if n%3 == 0 && in.language == "ja" {
						title = fmt.Sprint("ゲーム", n)
					}
					if local, known := of.local[in.language]; known {
						title += local
					} else {
						title += of.name
					}
					l := Console(region, product, Family(fmt.Sprint(n)), FamilyName(family), Name(family+of.name), Edition(of.edition), Title(title))
					if of.class != 0 {
						l.Facts.Type = of.class
					}
					l.Facts.Demo = of.demo
					if of.platform != "" && n%4 == 0 {
						l.Facts.Platforms = []string{of.platform}
					}
					lines = append(lines, l)
				}
			}
		}
	}
	return lines, truth
}

// TestCardsOfFourKindsOfFeeds checks that no card has listings of two products of the
// truth, and that none of these is divided, in feeds with full names, without names of the
// families, without editions, and with neither. In the last one products stay apart if no
// title joins them.
func TestCardsOfFourKindsOfFeeds(t *testing.T) {
	for _, feed := range []struct {
		name   string
		strip  func(*catalog.Facts)
		titles bool // titles decide
	}{
		{"full names", func(*catalog.Facts) {}, false},
		{"no family names", func(f *catalog.Facts) { f.FamilyName = "" }, false},
		{"no editions", func(f *catalog.Facts) { f.Edition = "" }, false},
		{"no names", func(f *catalog.Facts) { f.FamilyName, f.Edition, f.InvariantName = "", "", "" }, true},
		{"no names and platforms", func(f *catalog.Facts) {
			f.FamilyName, f.Edition, f.InvariantName, f.Platforms = "", "", "", nil
		}, true},
	} {
		t.Run(feed.name, func(t *testing.T) {
			lines, truth := oracle()
			for i := range lines {
				feed.strip(&lines[i].Facts)
			}
			entries := Entries(lines...)
			cards := map[string][]string{} // the titles of each card, by what it should be
			for _, g := range merge.Merge(entries, override.Set{}) {
				var shown []string
				is := truth[entries[g.Entries[0]].Product]
				for _, i := range g.Entries {
					if other := truth[entries[i].Product]; other != is {
						t.Errorf("%q and %q are one card", is, other)
					}
					shown = append(shown, strings.ToLower(strings.Trim(entries[i].Facts.Title, "™")))
				}
				slices.Sort(shown)
				cards[is] = append(cards[is], strings.Join(slices.Compact(shown), "|"))
			}
			for is, shown := range cards {
				for i, titles := range shown {
					for _, other := range shown[:i] {
						if !feed.titles || titles == other {
							t.Errorf("%q is two cards: %s, and %s", is, titles, other)
						}
					}
				}
			}
		})
	}
}

package merge_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	. "gamedex/internal/testing/catalogtest"
)

var places = []string{"US", "TR", "PL"}

// products draws products that are as similar as possible: few families, names,
// labels and platforms. A product's facts are the same in all its lines.
func products(t *rapid.T) map[string][]Option {
	pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	world := map[string][]Option{}
	for n := range rapid.IntRange(2, 8).Draw(t, "products") {
		id := fmt.Sprintf("%c-000000000000000%s", 'A'+n, pick("label", "1", "2", "3"))
		world[id] = []Option{
			Family(pick("family", "1", "1", "1", "2", "")),
			FamilyName(pick("family name", "", "", "Star", "Star Gold")),
			Name(pick("name", "", "Star", "Star Gold", "Star Gold Plus", "Dust")),
			Edition(pick("edition", "", "", "Gold")),
			Type(rapid.SampledFrom([]catalog.Type{catalog.Game, catalog.Game, catalog.Bundle, catalog.DLC}).Draw(t, "type")),
			Platforms(strings.Fields(pick("platforms", "", "PS4", "PS5", "PS4 PS5"))...),
			TitleIDs(strings.Fields(pick("title ids", "", "T1", "T2", "T1 T2"))...),
		}
	}
	return world
}

// line draws a region's line about a product on a day.
func line(t *rapid.T, world map[string][]Option, product string, day int) catalog.Listing {
	options := append(slices.Clip(world[product]), On(day), Title(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "title")))
	if rapid.Bool().Draw(t, "priced") {
		options = append(options, Price("USD", 100))
	}
	return Console(rapid.SampledFrom(places).Draw(t, "region"), product, options...)
}

func anyProduct(t *rapid.T, world map[string][]Option) string {
	var ids []string
	for id := range world {
		ids = append(ids, id)
	}
	return rapid.SampledFrom(sorted(ids)).Draw(t, "product")
}

// holders returns the products on sale by the id of their card.
func holders(entries []catalog.Entry) map[string][]string {
	held := map[string][]string{}
	for _, g := range merge.Merge(entries, override.Set{}) {
		for _, i := range g.Entries {
			if p := entries[i].Product; !slices.Contains(held[g.ID], p) {
				held[g.ID] = append(held[g.ID], p)
			}
		}
	}
	return held
}

// passed returns an id that moved between products on sale: a product that had
// the id is still on sale, but no product that has it now had it before.
func passed(before, after map[string][]string) string {
	var onSale []string
	for _, products := range after {
		onSale = append(onSale, products...)
	}
	for id, had := range before {
		has := after[id]
		stays := slices.ContainsFunc(had, func(p string) bool { return slices.Contains(onSale, p) })
		shared := slices.ContainsFunc(had, func(p string) bool { return slices.Contains(has, p) })
		if len(has) > 0 && stays && !shared {
			return fmt.Sprintf("id %s went from %v to %v", id, had, has)
		}
	}
	return ""
}

// TestIDsAreNotPassedOn checks that lines in time order never pass an id on,
// whatever they contain: products without family or name, shorter names,
// families found by title ids, new conflicts.
func TestIDsAreNotPassedOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		world := products(t)
		var s Listings
		before := map[string][]string{}
		live := map[string]map[catalog.Region]bool{}
		for day := range rapid.IntRange(1, 20).Draw(t, "lines") {
			l := line(t, world, anyProduct(t, world), day+2)
			if live[l.Product] == nil {
				live[l.Product] = map[catalog.Region]bool{}
			}
			// The next test covers products that leave their last region.
			if len(live[l.Product]) > 1 && rapid.Bool().Draw(t, "withdraw") {
				l.Withdrawn = true
				delete(live[l.Product], l.Region)
			} else {
				live[l.Product][l.Region] = true
			}
			if len(live[l.Product]) == 0 {
				continue
			}
			s.Apply(l)
			after := holders(s.Table().Entries)
			if fault := passed(before, after); fault != "" {
				t.Fatalf("%s %s withdrawn=%v: %s", l.Region, l.Product, l.Withdrawn, fault)
			}
			before = after
		}
	})
}

// TestIDsAreNotPassedOnWhenProductsLeave checks the same while products leave the
// store permanently and others replace them: a PS4 and a PS5 product in each
// region, every one with a distinct id. They have a name, a label or a title in common,
// or nothing.
func TestIDsAreNotPassedOnWhenProductsLeave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Listings
		slots := map[string]string{} // region and platform → product on sale
		before := map[string][]string{}
		for day := range rapid.IntRange(1, 20).Draw(t, "lines") {
			region := rapid.SampledFrom(places).Draw(t, "region")
			platform := rapid.SampledFrom([]string{"PS4", "PS5"}).Draw(t, "platform")
			slot := region + platform
			name, label, title := "", "", fmt.Sprint("Title ", day)
			switch common := rapid.SampledFrom([]string{"name", "", "-0000000000000001", "-0000000000000002", "x", "y"}).Draw(t, "common"); common {
			case "name":
				name = "Star Forge"
			case "x", "y":
				title = common
			default:
				label = common
			}
			l := forge(region, fmt.Sprintf("%s-%s-%d%s", region, platform, day, label), Name(name), Title(title), Platforms(platform), On(day+2))
			if old := slots[slot]; old != "" {
				l.Product, l.Withdrawn = old, true
				delete(slots, slot)
			} else {
				slots[slot] = l.Product
			}
			s.Apply(l)
			after := holders(s.Table().Entries)
			if fault := passed(before, after); fault != "" {
				t.Fatalf("%s withdrawn=%v: %s", l.Product, l.Withdrawn, fault)
			}
			before = after
		}
	})
}

// described writes the results of Merge and Compose without entry numbers.
func described(table Table) []string {
	var cards []string
	for _, g := range merge.Merge(table.Entries, override.Set{}) {
		card := merge.Compose([]merge.Group{g}, table.Entries, Regions("TR", "US"), table.Fields)[0]
		card.Rows = nil
		cards = append(cards, fmt.Sprintf("%s %v %+v", listingsOf(&g, table.Entries), g.Divisions, card))
	}
	return cards
}

// history is what is stored after some lines about any products, including
// withdrawals.
func history(t *rapid.T) *Listings {
	world := products(t)
	var s Listings
	for range rapid.IntRange(1, 20).Draw(t, "lines") {
		l := line(t, world, anyProduct(t, world), rapid.IntRange(1, 4).Draw(t, "day"))
		l.Withdrawn = rapid.IntRange(0, 5).Draw(t, "withdrawn") == 0
		s.Apply(l)
	}
	return &s
}

// TestMergeIgnoresOrder checks that the order of the entries does not matter.
func TestMergeIgnoresOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := history(t).Table()
		want := described(table)
		rng := rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed")))
		rng.Shuffle(len(table.Entries), func(i, j int) {
			table.Entries[i], table.Entries[j] = table.Entries[j], table.Entries[i]
		})
		if d := diff(want, described(table)); d != "" {
			t.Fatalf("shuffled (-want +got):\n%s", d)
		}
	})
}

// TestMergeIsAPartition checks that two products on sale in one region are
// never one card, and that every listing on sale is in exactly one card.
func TestMergeIsAPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := history(t).Table().Entries
		var placed []uint32
		for _, g := range merge.Merge(entries, override.Set{}) {
			for n, i := range g.Entries {
				if n > 0 && entries[g.Entries[n-1]].Region == entries[i].Region {
					t.Fatalf("card %s holds two listings of %s", g.ID, entries[i].Region)
				}
			}
			placed = append(placed, g.Entries...)
		}
		var live []uint32
		for i := range entries {
			if !entries[i].Withdrawn {
				live = append(live, uint32(i))
			}
		}
		slices.Sort(placed)
		if !slices.Equal(placed, live) {
			t.Fatalf("cards hold listings %v, on sale are %v", placed, live)
		}
	})
}

// TestProductsOfACardHaveSomethingInCommon checks that a game without name and edition
// shares its label, or a title, with another product of its card, as long as nothing is
// withdrawn.
func TestProductsOfACardHaveSomethingInCommon(t *testing.T) {
	label := func(id string) string { return id[len(id)-16:] }
	named := func(f *catalog.Facts) bool { return f.InvariantName != "" || f.Edition != "" }
	rapid.Check(t, func(t *rapid.T) {
		entries := history(t).Table().Entries
		for i := range entries {
			entries[i].Withdrawn = false
		}
		for _, g := range merge.Merge(entries, override.Set{}) {
			if g.Class != catalog.GameClass {
				continue
			}
			for _, i := range g.Entries {
				own := &entries[i]
				alike, alone := named(own.Facts), true
				for _, j := range g.Entries {
					if other := &entries[j]; other.Product != own.Product {
						alone = false
						alike = alike || label(other.Product) == label(own.Product) || !named(other.Facts) && slices.ContainsFunc(g.Entries, func(k uint32) bool {
							return entries[k].Product == own.Product && entries[k].Facts.Title == other.Facts.Title
						})
					}
				}
				if !alone && !alike {
					t.Fatalf("card %s holds %s, which has nothing in common with %s", g.ID, own.Product, listingsOf(&g, entries))
				}
			}
		}
	})
}

// TestIDsAreStable checks that an added or removed title, title id, price or
// region changes no id while every listing has the family and its name.
func TestIDsAreStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		world := products(t)
		for id := range world {
			world[id] = append(world[id], Family("1"), FamilyName("Star"))
		}
		var s Listings
		listed := map[string]bool{}
		for day := range rapid.IntRange(1, 15).Draw(t, "lines") {
			l := line(t, world, anyProduct(t, world), day+1)
			listed[l.Product] = true
			s.Apply(l)
		}
		want := ids(s.Table().Entries)
		product := anyProduct(t, world)
		if !listed[product] {
			return
		}
		abroad := Console("DE", product, append(world[product], On(50), Title("z"), TitleIDs("T9"), Price("EUR", 1))...)
		s.Apply(abroad)
		if d := diff(want, ids(s.Table().Entries)); d != "" {
			t.Fatalf("a region came for %s (-want +got):\n%s", product, d)
		}
		abroad.ObservedAt, abroad.Withdrawn = Day(51), true
		s.Apply(abroad)
		if d := diff(want, ids(s.Table().Entries)); d != "" {
			t.Fatalf("a region of %s went (-want +got):\n%s", product, d)
		}
	})
}

package merge

import (
	"cmp"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/titles"
)

// MergeVersion is raised whenever Merge or Compose returns a different result for
// the same entries, so that a snapshot made by the old rules is rebuilt.
const MergeVersion = 7

// Group is a card before it is composed: which listings it has, and its id.
type Group struct {
	// ID is the gameId (8 characters, upper-case), on the PC store the slug.
	ID       string
	Platform catalog.Platform
	Class    catalog.Class
	Type     catalog.Type // most specific of its listings; on the PC store set by Compose
	Family   string
	// Key is what the group's listings share within family and class: a game's
	// language-neutral edition ("" is standard), an add-on's name, a slug.
	Key       string
	Divisions []Division // what separates it from other groups of the same key
	// Unnamed is set if no product of the group, on the console store, has an edition or an
	// invariant name.
	Unnamed bool
	// Entries are its listings that are not withdrawn, sorted by region and
	// product; on the console store there is one for each region.
	Entries   []uint32
	FirstSeen catalog.Millis // withdrawn listings of its products count
	// Remainder is the edition as the invariant name writes it, for a card none
	// of whose listings shows one.
	Remainder string
	// Edition is the operator's edition name; nil leaves it to the listings.
	Edition *string
	// Offers are the products of a PC card by id, without titles and editions;
	// OfferEditions are the operator's editions by product id.
	Offers        []catalog.Offer
	OfferEditions map[string]string
}

// Division is a step that separated a group from products that conflict with it.
type Division struct {
	By    Criterion
	Value string
}

// Criterion is a property by which two products are separated, because they are on
// sale in one region or have nothing in common.
type Criterion uint8

// The criteria in the order in which they are tried for products on sale in one region.
// The numbers are part of ids.
const (
	ByPlatforms Criterion = iota + 1
	ByName
	ByLabel
	ByProduct
)

var criterionNames = [...]string{
	ByPlatforms: "platforms", ByName: "invariant name", ByLabel: "product label", ByProduct: "product id",
}

// String returns the criterion in words.
func (c Criterion) String() string { return criterionNames[c] }

// Served reports whether a group has a listing in an active region; only such
// cards are in the API.
func (g *Group) Served(entries []catalog.Entry, active []catalog.Region) bool {
	return slices.ContainsFunc(g.Entries, func(i uint32) bool { return slices.Contains(active, entries[i].Region) })
}

func (m *merger) group(c *card) Group {
	g := Group{
		ID: c.id, Platform: c.family.platform, Class: c.class, Family: c.family.id,
		Key: c.key, Divisions: c.divisions, FirstSeen: forever,
	}
	g.Unnamed = g.Platform == catalog.ConsoleStore
	for _, n := range c.products { // those of a slug are sorted by id
		p := &m.products[n]
		g.FirstSeen = min(g.FirstSeen, p.start)
		g.Unnamed = g.Unnamed && p.unnamed()
		if specificity(p.typ) > specificity(g.Type) {
			g.Type = p.typ
		}
		if p.keyBy == keyRemainder && g.Remainder == "" {
			g.Remainder = titles.Remainder(p.invariantName, c.family.name)
		}
		if g.Platform != catalog.PCStore {
			if p.pinned && g.Edition == nil {
				g.Edition = new(p.editionText) // a pointer into p would keep all products alive
			}
			continue
		}
		// The family of a slug is the smallest of those that its products have.
		if p.familyBy != familyOwn && (g.Family == c.family.id || p.family < g.Family) {
			g.Family = p.family
		}
		g.Offers = append(g.Offers, catalog.Offer{ID: p.id, Type: p.typ, Demo: p.class == catalog.DemoClass, Rows: m.liveEntries([]uint32{n})})
		if p.pinned {
			if g.OfferEditions == nil {
				g.OfferEditions = map[string]string{}
			}
			g.OfferEditions[p.id] = p.editionText
		}
	}
	if g.Class == catalog.DemoClass {
		g.Type = catalog.Game
	}
	g.Entries = m.liveEntries(c.products)
	return g
}

// liveEntries returns the listings of products that are not withdrawn, sorted by
// region and product.
func (m *merger) liveEntries(products []uint32) []uint32 {
	total := uint32(0)
	for _, n := range products {
		total += m.products[n].live
	}
	list := make([]uint32, 0, total)
	for _, n := range products {
		p := &m.products[n]
		for _, i := range m.order[p.first:p.last] {
			if !m.entries[i].Withdrawn {
				list = append(list, i)
			}
		}
	}
	slices.SortFunc(list, func(a, b uint32) int {
		x, y := &m.entries[a], &m.entries[b]
		return cmp.Or(x.Region.Compare(y.Region), strings.Compare(x.Product, y.Product))
	})
	return list
}

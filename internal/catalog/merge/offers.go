package merge

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// offers returns the offers of a PC card with titles and editions, sorted by type,
// title and id.
func (c *composer) offers() []catalog.Offer {
	offers := make([]catalog.Offer, len(c.group.Offers))
	for n, o := range c.group.Offers {
		pinned, isPinned := c.group.OfferEditions[o.ID]
		for _, i := range c.prefer(o.Rows) {
			f := c.entries[i].Facts
			if o.Title == "" {
				o.Title = f.Title
			}
			if o.Edition == "" && !isPinned {
				o.Edition = shownEdition(f.Edition)
			}
		}
		if isPinned {
			o.Edition, o.Pinned = shownEdition(pinned), true
		}
		if o.Type == catalog.Base {
			o.Edition = "" // the base offer is the game itself, even if the store names an edition
		}
		o.Texts = c.offerTexts(&o)
		offers[n] = o
	}
	slices.SortFunc(offers, func(a, b catalog.Offer) int {
		return cmp.Or(cmp.Compare(offerOrder(a.Type), offerOrder(b.Type)),
			strings.Compare(a.Title, b.Title), strings.Compare(a.ID, b.ID))
	})
	return offers
}

// offerOrder returns a number by which types are sorted, the game itself first.
func offerOrder(t catalog.Type) catalog.Type {
	if t == catalog.Base {
		return 0
	}
	return t
}

// lead returns the offer from which the card takes its facts: the base offer, else
// the cheapest game, else the cheapest edition, else the cheapest bundle, else the
// first by id. Only the last can be a demo. The cheapest offer is found in the first
// region where one of them has a numeric price; active regions come first.
func (c *composer) lead(offers []catalog.Offer) *catalog.Offer {
	for _, t := range [...]catalog.Type{catalog.Base, catalog.Game, catalog.EditionType, catalog.Bundle} {
		var candidates []*catalog.Offer
		for i := range offers {
			if o := &offers[i]; o.Type == t && !o.Demo {
				candidates = append(candidates, o)
			}
		}
		if len(candidates) > 0 {
			prices := c.firstPrices(candidates)
			return slices.MinFunc(candidates, func(a, b *catalog.Offer) int {
				return cmp.Or(cmp.Compare(prices[a.ID], prices[b.ID]), strings.Compare(a.ID, b.ID))
			})
		}
	}
	first := &offers[0]
	for i := range offers {
		if offers[i].ID < first.ID {
			first = &offers[i]
		}
	}
	return first
}

// firstPrices returns the prices of offers, by product, in the first region where
// one of them has a price. Offers without a price there are unpriced.
func (c *composer) firstPrices(offers []*catalog.Offer) map[string]money.Amount {
	prices := make(map[string]money.Amount, len(offers))
	best := len(c.active) + 1 // active regions in their order come before the others
	var region catalog.Region
	for _, o := range offers {
		prices[o.ID] = unpriced
		for _, i := range o.Rows {
			e := &c.entries[i]
			if e.Price == nil || e.Price.Current == money.None {
				continue
			}
			position := slices.Index(c.active, e.Region)
			if position < 0 {
				position = len(c.active)
			}
			order := cmp.Or(cmp.Compare(position, best), e.Region.Compare(region))
			if order < 0 {
				for id := range prices {
					prices[id] = unpriced
				}
				best, region = position, e.Region
			}
			if order <= 0 {
				prices[o.ID] = e.Price.Current
			}
		}
	}
	return prices
}

// unpriced is higher than all prices.
const unpriced = money.Amount(math.MaxInt64)

// pcRows returns the entries with the prices of a PC card, one for each region: of
// the leading offer, else of the best game, edition or bundle in the region. An
// add-on or a demo never replaces the game: where nothing else is sold, the card has
// no row.
func (c *composer) pcRows(offers []catalog.Offer, lead *catalog.Offer) []uint32 {
	type candidate struct {
		entry uint32
		rank  [2]int64 // type, then price
	}
	best := map[catalog.Region]candidate{}
	for n := range offers {
		o := &offers[n]
		if o != lead && catalog.ClassOf(o.Type, o.Demo) != catalog.GameClass {
			continue
		}
		for _, i := range o.Rows {
			e := &c.entries[i]
			next := candidate{i, [2]int64{int64(offerOrder(o.Type)) + 1, int64(unpriced)}}
			if o == lead {
				next.rank[0] = 0
			}
			if e.Price != nil && e.Price.Current != money.None {
				next.rank[1] = int64(e.Price.Current)
			}
			old, ok := best[e.Region]
			if !ok || cmp.Or(slices.Compare(next.rank[:], old.rank[:]),
				strings.Compare(e.Product, c.entries[old.entry].Product)) < 0 {
				best[e.Region] = next
			}
		}
	}
	rows := make([]uint32, 0, len(best))
	for _, b := range best {
		rows = append(rows, b.entry)
	}
	slices.SortFunc(rows, func(a, b uint32) int { return c.entries[a].Region.Compare(c.entries[b].Region) })
	return rows
}

package merge

import (
	"cmp"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// offers completes a PC card's offers and sorts them by type, title and id.
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
			o.Edition = "" // it is the game itself, whatever its store calls it
		}
		offers[n] = o
	}
	slices.SortFunc(offers, func(a, b catalog.Offer) int {
		return cmp.Or(cmp.Compare(offerOrder(a.Type), offerOrder(b.Type)),
			strings.Compare(a.Title, b.Title), strings.Compare(a.ID, b.ID))
	})
	return offers
}

// offerOrder is the order of types, the game itself first.
func offerOrder(t catalog.Type) catalog.Type {
	if t == catalog.Base {
		return 0
	}
	return t
}

// applyLead sets the fields of a card that follow from its leading offer.
func applyLead(card *catalog.Card, o *catalog.Offer) {
	card.Type, card.Class, card.EditionName = o.Type, catalog.ClassOf(o.Type, o.Demo), o.Edition
	switch {
	case o.Demo:
		card.Type, card.EditionName = catalog.Game, demoEdition
	case o.Type == catalog.Base:
		card.Type = catalog.Game
	case o.Type == catalog.Game && o.Edition != "":
		card.Type = catalog.EditionType
	}
}

// lead is the offer whose facts are the card's: the base offer; without one
// the cheapest game, edition or bundle, in this order; else the first by id.
// Cheapest is meant in the first region, active ones before others, in which
// any of them has a numeric price. A demo does not lead where the game is.
func (c *composer) lead(offers []catalog.Offer) *catalog.Offer {
	for _, t := range [...]catalog.Type{catalog.Base, catalog.Game, catalog.EditionType, catalog.Bundle} {
		of := func(o *catalog.Offer) bool { return o.Type == t && !o.Demo }
		if best := c.cheapest(offers, of); best != nil {
			return best
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

// cheapest is the cheapest of the offers that qualify; ties, and offers that
// have no price, by id.
func (c *composer) cheapest(offers []catalog.Offer, of func(*catalog.Offer) bool) *catalog.Offer {
	prices := c.regionPrices(offers, of)
	var best *catalog.Offer
	for i := range offers {
		o := &offers[i]
		if !of(o) {
			continue
		}
		if best == nil || cmp.Or(comparePrices(prices, o.ID, best.ID), strings.Compare(o.ID, best.ID)) < 0 {
			best = o
		}
	}
	return best
}

// regionPrices gives the prices, by product, of the first region in which an
// offer that qualifies has any.
func (c *composer) regionPrices(offers []catalog.Offer, of func(*catalog.Offer) bool) map[string]money.Amount {
	prices := map[string]money.Amount{}
	var region catalog.Region
	for n := range offers {
		o := &offers[n]
		if !of(o) {
			continue
		}
		for _, i := range o.Rows {
			e := &c.entries[i]
			if e.Price == nil || e.Price.Current == money.None {
				continue
			}
			order := c.compareRegions(e.Region, region)
			if len(prices) == 0 || order < 0 {
				clear(prices)
				region, order = e.Region, 0
			}
			if order == 0 {
				prices[o.ID] = e.Price.Current
			}
		}
	}
	return prices
}

// compareRegions brings the active regions, in their order, before the others.
func (c *composer) compareRegions(a, b catalog.Region) int {
	place := func(r catalog.Region) int {
		if n := slices.Index(c.active, r); n >= 0 {
			return n
		}
		return len(c.active)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), a.Compare(b))
}

func comparePrices(prices map[string]money.Amount, a, b string) int {
	x, hasX := prices[a]
	y, hasY := prices[b]
	switch {
	case hasX && hasY:
		return cmp.Compare(x, y)
	case hasX:
		return -1
	case hasY:
		return 1
	}
	return 0
}

// pcRows is what a PC card costs in each region: its leading offer there, else
// the region's own best game, edition or bundle. An add-on or a demo never
// stands for the game: where nothing else is sold the card has no row.
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
			next := candidate{i, [2]int64{int64(offerOrder(o.Type)) + 1, currentOr(e.Price)}}
			if o == lead {
				next.rank[0] = 0
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

// currentOr is the current price in hundredths, beyond any price if there is
// none.
func currentOr(p *catalog.Price) int64 {
	if p == nil || p.Current == money.None {
		return int64(forever)
	}
	return int64(p.Current)
}

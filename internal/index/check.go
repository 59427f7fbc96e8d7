package index

import (
	"math"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/snapshot"
)

// check checks what readers rely on: every number in a record is in range, so
// that no reader leaves its section.
func (c *Catalog) check() error {
	if n := int64(c.len()); n > math.MaxInt32 {
		return snapshot.Damaged(layout.SectionCards, "%d cards, at most %d", n, math.MaxInt32)
	}
	texts, err := layout.CheckLists(layout.SectionTexts, c.texts, c.strings.Len())
	if err != nil {
		return err
	}
	links, err := layout.CheckLists(layout.SectionLinks, c.links, c.len())
	if err != nil {
		return err
	}
	for i := range c.len() {
		if err := c.checkCard(i, texts, links); err != nil {
			return err
		}
	}
	for i := range c.offerCount() {
		r := c.offers[i*layout.OfferSize : (i+1)*layout.OfferSize]
		largest := max(layout.U32(r, layout.OfferID), layout.U32(r, layout.OfferTitle), layout.U32(r, layout.OfferEdition))
		if err := layout.CheckNumber(layout.SectionOffers, i, largest, c.strings.Len()); err != nil {
			return err
		}
		if t := catalog.Type(r[layout.OfferType]); t.String() == "" {
			return snapshot.Damaged(layout.SectionOffers, "record %d: type %d", i, t)
		}
	}
	if err := c.checkLocal(texts); err != nil {
		return err
	}
	return c.checkMoved(texts)
}

func (c *Catalog) checkCard(i int, texts, links layout.ListStarts) error {
	r := c.records[i*layout.CardSize : (i+1)*layout.CardSize]
	largest := uint32(0)
	for field := layout.CardID; field < layout.CardGenres; field += 4 {
		largest = max(largest, layout.U32(r, field))
	}
	if err := layout.CheckNumber(layout.SectionCards, i, largest, c.strings.Len()); err != nil {
		return err
	}
	for field := layout.CardGenres; field < layout.CardOffers; field += 4 {
		lists := texts
		if field >= layout.CardGames {
			lists = links
		}
		if offset := layout.U32(r, field); !lists.Has(offset) {
			return snapshot.Damaged(layout.SectionCards, "record %d: no list begins at %d", i, offset)
		}
	}
	first, n := int64(layout.U32(r, layout.CardOffers)), int64(layout.U32(r, layout.CardOfferCount))
	if all := int64(c.offerCount()); first+n > all {
		return snapshot.Damaged(layout.SectionCards, "record %d: offers %d to %d of %d", i, first, first+n, all)
	}
	if layout.U32(r, layout.CardSelf) != uint32(i) {
		return snapshot.Damaged(layout.SectionCards, "record %d is numbered %d", i, layout.U32(r, layout.CardSelf))
	}
	p, t, class := catalog.Platform(r[layout.CardKind]), catalog.Type(r[layout.CardKind+1]), catalog.Class(r[layout.CardKind+2])
	if p.String() == "" || t.String() == "" || class < catalog.GameClass || class > catalog.DemoClass {
		return snapshot.Damaged(layout.SectionCards, "record %d: platform %d, type %d, class %d", i, p, t, class)
	}
	c.served[p] = true
	return nil
}

// checkMoved checks the pairs of former ids and lists, sorted by id.
func (c *Catalog) checkMoved(texts layout.ListStarts) error {
	if c.moved.Len()%2 != 0 {
		return snapshot.Damaged(layout.SectionMoved, "%d numbers do not form pairs", c.moved.Len())
	}
	last := ""
	for i := range c.moved.Len() / 2 {
		number, offset := c.moved.At(2*i), c.moved.At(2*i+1)
		if err := layout.CheckNumber(layout.SectionMoved, i, number, c.strings.Len()); err != nil {
			return err
		}
		if !texts.Has(offset) {
			return snapshot.Damaged(layout.SectionMoved, "record %d: no list begins at %d", i, offset)
		}
		id := c.strings.At(number)
		if id <= last {
			return snapshot.Damaged(layout.SectionMoved, "record %d: %q comes after %q", i, id, last)
		}
		last = id
	}
	return nil
}

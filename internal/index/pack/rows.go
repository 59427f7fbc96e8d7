package pack

import (
	"cmp"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/snapshot"
)

// pricePacker packs the rows of all cards.
type pricePacker struct {
	*plan
	*priceTable
	cardRows  []byte
	offerRows []byte
	entries   []uint32 // row → entry
	firstRows []uint32 // card → its first row, its offers' included
	patterns  map[catalog.URLPattern]uint32
	product   string // of the last row, with its number: most regions share it
	productNo uint32
	editions  map[string]string // of the PC card: by product, for those whose listings do not decide
	hashes    []uint64          // card → hash of its and its offers' rows
}

func (k *pricePacker) pack() error {
	ends, rowCount := map[catalog.Millis]bool{}, 0
	for _, c := range k.cards {
		for rows := range rowLists(c) {
			rowCount += len(rows)
			for _, n := range rows {
				if p := k.in.Entries[n].Price; p != nil && p.DiscountEndsAt > 0 {
					ends[p.DiscountEndsAt] = true
				}
			}
		}
	}
	k.numberEnds(ends)
	k.rows = make([]byte, 0, layout.RowSize*rowCount)
	k.entries = make([]uint32, 0, rowCount)
	for i, c := range k.cards {
		if err := k.packCard(i, c); err != nil {
			return fmt.Errorf("card %q: %w", c.ID, err)
		}
	}
	return nil
}

// packCard packs the rows of card n and of its offers. A PC card whose rows are
// those of one of its offers shares them.
func (k *pricePacker) packCard(n int, c *catalog.Card) error {
	start := len(k.rows)
	k.firstRows = append(k.firstRows, uint32(len(k.entries)))
	first, shared := uint32(0), false
	clear(k.editions)
	for i := range c.Offers {
		if o := &c.Offers[i]; o.Pinned || o.Type == catalog.Base {
			k.editions[o.ID] = o.Edition
		}
	}
	for i := range c.Offers {
		at, err := k.packRows(n, c.Offers[i].Rows)
		if err != nil {
			return fmt.Errorf("offer %q: %w", c.Offers[i].ID, err)
		}
		k.offerRows = appendPair(k.offerRows, at, len(c.Offers[i].Rows))
		if !shared && slices.Equal(c.Offers[i].Rows, c.Rows) {
			first, shared = at, true
		}
	}
	if !shared {
		var err error
		if first, err = k.packRows(n, c.Rows); err != nil {
			return err
		}
	}
	k.cardRows = appendPair(k.cardRows, first, len(c.Rows))
	k.hashes = append(k.hashes, k.hashRows(k.rows[start:], true))
	return nil
}

func appendPair(dst []byte, first uint32, n int) []byte {
	return snapshot.AppendU32(dst, first, uint32(n))
}

func (k *pricePacker) packRows(card int, rows []uint32) (first uint32, err error) {
	c := k.cards[card]
	first = uint32(len(k.entries))
	k.entries = append(k.entries, rows...)
	for _, n := range rows {
		e, at := &k.in.Entries[n], len(k.rows)
		k.rows = append(k.rows, make([]byte, layout.RowSize)...)
		r := k.rows[at:]
		r[layout.RowRegion] = k.numbers[e.Region]
		if e.Product != k.product {
			k.product, k.productNo = e.Product, k.texts.numberText(e.Product)
		}
		layout.Put32(r, layout.RowProduct, k.productNo)
		err := k.fillRow(r, e, trialsOf(c).includes(e), extra{
			edition: k.texts.numberText(k.editionOfRow(c, e)), url: k.numberURL(c, e),
			variants: k.families.variants(card, c, r[layout.RowRegion]),
		})
		if err != nil {
			return 0, err
		}
	}
	return first, nil
}

// trials selects the rows of a card that are those of a trial, whatever the
// price is.
type trials uint8

const (
	noTrials     trials = iota
	demoListings        // of a PC card: those of its demos
	allTrials           // of a demo
)

func trialsOf(c *catalog.Card) trials {
	switch {
	case c.Class == catalog.DemoClass:
		return allTrials
	case c.Platform == catalog.PCStore:
		return demoListings
	}
	return noTrials
}

func (t trials) includes(e *catalog.Entry) bool {
	return t == allTrials || t == demoListings && e.Facts.Demo
}

// editionOfRow returns the edition that a row belongs to: on the console store
// that of the card if the listing has none. An operator's override replaces the
// listing's.
func (k *pricePacker) editionOfRow(c *catalog.Card, e *catalog.Entry) string {
	switch {
	case c.Platform != catalog.PCStore && (c.EditionName == "" || c.Pinned):
		return c.EditionName
	case c.Platform != catalog.PCStore:
		return cmp.Or(e.Facts.Edition, c.EditionName)
	}
	if edition, ok := k.editions[e.Product]; ok {
		return edition
	}
	return e.Facts.Edition
}

// numberURL numbers the pattern of a link as layout.AppendURL expands it: with
// the card's slug, which may differ from the listing's.
func (k *pricePacker) numberURL(c *catalog.Card, e *catalog.Entry) uint32 {
	pattern := e.URL
	if slug := slugOf(c); e.Facts.Slug != slug {
		pattern = catalog.PatternOf(e.URL.URL(e.Product, e.Facts.Slug), e.Product, slug)
	}
	n, known := k.patterns[pattern]
	if !known {
		n = k.texts.numberText(pattern.URL(layout.ProductPlaceholder, layout.SlugPlaceholder))
		k.patterns[pattern] = n
	}
	return n
}

func slugOf(c *catalog.Card) string {
	if c.Platform == catalog.PCStore {
		return c.ID
	}
	return ""
}

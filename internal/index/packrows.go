package index

import (
	"encoding/json"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/snapshot"
)

// pricePacker writes the prices blob.
type pricePacker struct {
	*plan
	texts      *texts
	shown      *priceTexts
	rows       []byte
	cardRows   []byte
	offerRows  []byte
	extras     []byte
	extraAt    map[extra]uint32
	wide       []byte
	ends       []int64
	endAt      map[catalog.Millis]uint32
	currencies []money.Currency
	currencyNo map[money.Currency]uint8
	patterns   map[catalog.URLPattern]uint32
	product    string // of the last row, with its number: most regions share it
	productNo  uint32
	contents   []uint64 // card → hash of its and its offers' rows
}

// extra is what few rows differ in: string numbers and 1 + number of an end.
type extra struct{ label, edition, source, end uint32 }

func newPricePacker(p *plan) *pricePacker {
	k := &pricePacker{
		plan: p, texts: newTexts(), shown: newPriceTexts(p.regions),
		extras: make([]byte, extraSize), extraAt: map[extra]uint32{{}: 0},
		endAt:      map[catalog.Millis]uint32{},
		currencies: []money.Currency{""}, currencyNo: map[money.Currency]uint8{"": 0},
		patterns: map[catalog.URLPattern]uint32{},
	}
	k.rows = make([]byte, 0, rowSize*k.numberEnds())
	return k
}

// numberEnds numbers the distinct discount ends of all rows in time order. It
// returns how many rows there are at most.
func (k *pricePacker) numberEnds() (rowCount int) {
	for _, c := range k.cards {
		for rows := range rowLists(c) {
			rowCount += len(rows)
			for _, n := range rows {
				if p := k.in.Entries[n].Price; p != nil && p.DiscountEndsAt > 0 {
					k.endAt[p.DiscountEndsAt] = 0
				}
			}
		}
	}
	for end := range k.endAt {
		k.ends = append(k.ends, int64(end))
	}
	slices.Sort(k.ends)
	for i, end := range k.ends {
		k.endAt[catalog.Millis(end)] = uint32(i)
	}
	return rowCount
}

func (k *pricePacker) pack() error {
	for i, c := range k.cards {
		if err := k.card(i, c); err != nil {
			return fmt.Errorf("card %q: %w", c.ID, err)
		}
	}
	return nil
}

// card packs the rows of card n and of its offers. A PC card whose rows are
// those of one of its offers shares them.
func (k *pricePacker) card(n int, c *catalog.Card) error {
	start := len(k.rows)
	first, shared := uint32(0), false
	for i := range c.Offers {
		at, err := k.addRows(n, c.Offers[i].Rows)
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
		if first, err = k.addRows(n, c.Rows); err != nil {
			return err
		}
	}
	k.cardRows = appendPair(k.cardRows, first, len(c.Rows))
	k.contents = append(k.contents, k.content(k.rows[start:]))
	return nil
}

func appendPair(dst []byte, first uint32, n int) []byte {
	return snapshot.AppendU32(snapshot.AppendU32(dst, first), uint32(n))
}

func (k *pricePacker) addRows(card int, rows []uint32) (first uint32, err error) {
	first = uint32(len(k.rows) / rowSize)
	for _, n := range rows {
		if err := k.row(card, &k.in.Entries[n]); err != nil {
			return 0, err
		}
	}
	return first, nil
}

// row appends the packed row of one entry.
func (k *pricePacker) row(card int, e *catalog.Entry) error {
	c := k.cards[card]
	at := len(k.rows)
	k.rows = append(k.rows, make([]byte, rowSize)...)
	r := k.rows[at:]
	region := k.numbers[e.Region]
	r[rowRegion] = region
	if e.Product != k.product {
		k.product, k.productNo = e.Product, k.texts.number(e.Product)
	}
	put32(r, rowProduct, k.productNo)
	put32(r, rowURL, k.url(c, e))
	variants := k.families.variants(card, c, region)
	r[rowVariants], r[rowVariants+1] = byte(variants), byte(variants>>8)
	x := extra{edition: k.texts.number(rowEdition(c, e))}
	if c.Class == catalog.DemoClass || c.Platform == catalog.PCStore && e.Facts.Demo {
		r[rowFlags] |= flagTrial
	}
	r[rowPercent] = noPercent
	put32(r, rowBase, noAmount)
	put32(r, rowCurrent, noAmount)
	put48(r, rowPricedAt, min(max(0, int64(e.PricedAt)), 1<<48-1))
	if e.Price != nil {
		if err := k.price(r, e.Price, &x); err != nil {
			return err
		}
	}
	put32(r, rowExtra, k.extra(x))
	return nil
}

// rowEdition is the edition that a row belongs to: on the console store every
// row of an edition's card, even where the listing does not say so. An
// operator's word goes before the listing's.
func rowEdition(c *catalog.Card, e *catalog.Entry) string {
	switch {
	case c.Platform == catalog.PCStore:
		return editionOfOffer(c, e)
	case c.EditionName == "" || c.Pinned:
		return c.EditionName
	}
	return either(e.Facts.Edition, c.EditionName)
}

func editionOfOffer(c *catalog.Card, e *catalog.Entry) string {
	for i := range c.Offers {
		if o := &c.Offers[i]; o.ID == e.Product && (o.Pinned || o.Type == catalog.Base) {
			return o.Edition
		}
	}
	return e.Facts.Edition
}

// price fills in what a listing costs.
func (k *pricePacker) price(r []byte, p *catalog.Price, x *extra) error {
	currency, err := k.currency(p.Currency, k.regions[r[rowRegion]])
	if err != nil {
		return err
	}
	r[rowCurrency] = currency
	r[rowFlags] |= priceFlags(p)
	if p.DiscountPercent >= 0 {
		r[rowPercent] = byte(min(p.DiscountPercent, 100))
	}
	k.amounts(r, p)
	base, current := k.shown.of(r[rowRegion], k.currencies[currency], p, r[rowFlags])
	put32(r, rowBaseText, k.texts.number(base))
	put32(r, rowCurrentText, k.texts.number(current))
	x.label, x.source = k.texts.number(p.DiscountLabel), k.texts.number(p.Source)
	if p.DiscountEndsAt > 0 {
		x.end = 1 + k.endAt[p.DiscountEndsAt]
	}
	return nil
}

func priceFlags(p *catalog.Price) byte {
	flags := byte(flagPriced)
	if p.Trial {
		flags |= flagTrial
	}
	if p.Subscription {
		flags |= flagSubscription
	}
	if p.Source == catalog.SourceDoubtful {
		flags |= flagDoubtful
	}
	return flags
}

// amounts writes both numbers, in the overflow table if one is too large.
func (k *pricePacker) amounts(r []byte, p *catalog.Price) {
	base, current := max(p.Base, money.None), max(p.Current, money.None)
	if base < noAmount && current < noAmount {
		put32(r, rowBase, uint32(base)) // None becomes noAmount
		put32(r, rowCurrent, uint32(current))
		return
	}
	r[rowFlags] |= flagWide
	put32(r, rowBase, uint32(len(k.wide)/16))
	put32(r, rowCurrent, 0)
	k.wide = snapshot.AppendU64(k.wide, uint64(base))
	k.wide = snapshot.AppendU64(k.wide, uint64(current))
}

// currency numbers the currency of a price; one without has the region's own.
func (k *pricePacker) currency(c money.Currency, r catalog.Region) (uint8, error) {
	if c == "" {
		c, _ = money.RegionCurrency(r.String())
	}
	n, known := k.currencyNo[c]
	if !known {
		if len(k.currencies) == 256 {
			return 0, fmt.Errorf("currency %q: more than 255 currencies", c)
		}
		n = uint8(len(k.currencies))
		k.currencies = append(k.currencies, c)
		k.currencyNo[c] = n
	}
	return n, nil
}

// url numbers the pattern of a link as Row.AppendURL expands it: with the
// card's slug, which may differ from the listing's.
func (k *pricePacker) url(c *catalog.Card, e *catalog.Entry) uint32 {
	pattern := e.URL
	if slug := slugOf(c); e.Facts.Slug != slug {
		pattern = catalog.PatternOf(e.URL.URL(e.Product, e.Facts.Slug), e.Product, slug)
	}
	n, known := k.patterns[pattern]
	if !known {
		n = k.texts.number(pattern.URL(productMark, slugMark))
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

func (k *pricePacker) extra(x extra) uint32 {
	n, known := k.extraAt[x]
	if !known {
		n = uint32(len(k.extras) / extraSize)
		for _, v := range []uint32{x.label, x.edition, x.source, x.end} {
			k.extras = snapshot.AppendU32(k.extras, v)
		}
		k.extraAt[x] = n
	}
	return n
}

// blob writes the sections. It needs the packed catalog for the revs.
func (k *pricePacker) blob(c *catalogPacker) ([]byte, error) {
	w := snapshot.NewWriter(pricesKind, Format)
	meta, err := json.Marshal(pricesMeta{Catalog: c.identity})
	if err != nil {
		return nil, fmt.Errorf("write section %q: %w", secMeta, err)
	}
	var currencies []byte
	for _, c := range k.currencies {
		currencies = snapshot.AppendU32(currencies, k.texts.number(string(c)))
	}
	w.Add(secMeta, meta)
	if err := k.texts.table.AddTo(w, secStrings); err != nil {
		return nil, err
	}
	w.Add(secMoney, currencies)
	w.Add(secRows, k.rows)
	w.Add(secCardRows, k.cardRows)
	w.Add(secOfferRows, k.offerRows)
	w.Add(secExtras, k.extras)
	w.Add(secWide, k.wide)
	w.Add(secEnds, k.endTable())
	w.Add(secRevs, revs(k, c))
	return w.Bytes()
}

func (k *pricePacker) endTable() []byte {
	var out []byte
	for _, end := range k.ends {
		out = snapshot.AppendU64(out, uint64(end))
	}
	return out
}

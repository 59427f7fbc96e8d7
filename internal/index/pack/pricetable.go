package pack

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/money"
	"gamedex/internal/snapshot"
)

// priceTable has the rows of a prices blob and the tables of distinct records
// that they refer to. Build fills an empty one; Reprice continues a packed one.
type priceTable struct {
	regions    []catalog.Region // by number
	texts      *texts
	formatter  *priceFormatter
	rows       []byte
	points     []byte
	pointAt    map[point]uint32
	shownAt    map[shownPrice]uint32 // as listings have it → point
	extras     []byte
	extraAt    map[extra]uint32
	hashes     recordHashes
	ends       []int64
	endAt      map[catalog.Millis]uint32
	currencies []money.Currency
	currencyNo map[money.Currency]uint8
}

// point is an amount and the number of its text.
type point struct {
	amount money.Amount
	text   uint32
}

// extra is an extra record: string numbers, 1 + number of an end, small values.
type extra struct {
	label, edition, source, url, end uint32
	variants                         uint16
	currency, flags                  uint8
}

func newPriceTable(regions []catalog.Region) *priceTable {
	t := emptyPriceTable(regions, newTexts())
	t.currencies, t.currencyNo[""] = []money.Currency{""}, 0
	t.numberPoint(point{amount: money.None})
	t.numberExtra(extra{})
	return t
}

// emptyPriceTable lacks the records number 0.
func emptyPriceTable(regions []catalog.Region, texts *texts) *priceTable {
	return &priceTable{
		regions: regions, texts: texts, formatter: newPriceFormatter(regions),
		pointAt: map[point]uint32{}, shownAt: map[shownPrice]uint32{}, extraAt: map[extra]uint32{},
		endAt: map[catalog.Millis]uint32{}, currencyNo: map[money.Currency]uint8{},
	}
}

// numberEnds numbers discount ends in time order.
func (t *priceTable) numberEnds(ends map[catalog.Millis]bool) {
	t.ends = t.ends[:0]
	clear(t.endAt)
	for i, end := range slices.Sorted(maps.Keys(ends)) {
		t.ends = append(t.ends, int64(end))
		t.endAt[end] = uint32(i)
	}
}

// fillRow writes an entry's price and its time into a row that has its region
// and product; x has the row's other fields.
func (t *priceTable) fillRow(r []byte, e *catalog.Entry, trial bool, x extra) error {
	r[layout.RowPercent] = layout.NoPercent
	layout.PutPricedAt(r, int64(e.PricedAt))
	layout.Put32(r, layout.RowBase, 0)
	layout.Put32(r, layout.RowCurrent, 0)
	if trial {
		x.flags |= layout.FlagTrial
	}
	if e.Price != nil {
		if err := t.fillPrice(r, e.Price, &x); err != nil {
			return err
		}
	}
	layout.Put32(r, layout.RowExtra, t.numberExtra(x))
	return nil
}

// fillPrice writes the price of a listing.
func (t *priceTable) fillPrice(r []byte, p *catalog.Price, x *extra) (err error) {
	if x.currency, err = t.numberCurrency(p.Currency, t.regions[r[layout.RowRegion]]); err != nil {
		return err
	}
	x.flags |= priceFlags(p)
	if p.DiscountPercent >= 0 {
		r[layout.RowPercent] = byte(min(p.DiscountPercent, 100))
	}
	base, current := shownPrices(p, r[layout.RowRegion], x)
	layout.Put32(r, layout.RowBase, t.numberPrice(base))
	layout.Put32(r, layout.RowCurrent, t.numberPrice(current))
	x.label, x.source = t.texts.numberText(p.DiscountLabel), t.texts.numberText(p.Source)
	if p.DiscountEndsAt > 0 {
		x.end = 1 + t.endAt[p.DiscountEndsAt]
	}
	return nil
}

// numberPrice numbers the point of a price. It formats each distinct one once.
func (t *priceTable) numberPrice(s shownPrice) uint32 {
	n, known := t.shownAt[s]
	if !known {
		text := t.formatter.text(s, t.currencies[s.currency])
		n = t.numberPoint(point{s.amount, t.texts.numberText(text)})
		t.shownAt[s] = n
	}
	return n
}

func (t *priceTable) numberPoint(p point) uint32 {
	n, known := t.pointAt[p]
	if !known {
		n = uint32(len(t.points) / layout.PointSize)
		t.points = snapshot.AppendU32(t.points, p.text)
		t.points = snapshot.AppendU64(t.points, uint64(p.amount))
		t.hashes.points = append(t.hashes.points, t.hashPoint(p))
		t.pointAt[p] = n
	}
	return n
}

func priceFlags(p *catalog.Price) uint8 {
	flags := uint8(layout.FlagPriced)
	if p.Trial {
		flags |= layout.FlagTrial
	}
	if p.Subscription {
		flags |= layout.FlagSubscription
	}
	if p.Source == catalog.SourceDoubtful {
		flags |= layout.FlagDoubtful
	}
	return flags
}

// numberCurrency numbers the currency of a price, the region's own if it has
// none.
func (t *priceTable) numberCurrency(c money.Currency, r catalog.Region) (uint8, error) {
	if c == "" {
		c, _ = money.RegionCurrency(r.String())
	}
	n, known := t.currencyNo[c]
	if !known {
		if len(t.currencies) == 256 {
			return 0, fmt.Errorf("currency %q: more than 255 currencies", c)
		}
		n = uint8(len(t.currencies))
		t.currencies = append(t.currencies, c)
		t.currencyNo[c] = n
	}
	return n, nil
}

func (t *priceTable) numberExtra(x extra) uint32 {
	n, known := t.extraAt[x]
	if !known {
		n = uint32(len(t.extras) / layout.ExtraSize)
		for _, v := range []uint32{x.label, x.edition, x.source, x.url, x.end} {
			t.extras = snapshot.AppendU32(t.extras, v)
		}
		t.extras = append(snapshot.AppendU16(t.extras, x.variants), x.currency, x.flags)
		t.hashes.extras = append(t.hashes.extras, t.hashExtra(x))
		t.extraAt[x] = n
	}
	return n
}

// blob writes the sections.
func (t *priceTable) blob(catalog string, cardRows, offerRows, revs []byte) ([]byte, error) {
	w := snapshot.NewWriter(layout.PricesKind, layout.Format)
	meta, err := json.Marshal(layout.PricesMeta{Catalog: catalog})
	if err != nil {
		return nil, fmt.Errorf("write section %q: %w", layout.SectionMeta, err)
	}
	var currencies, ends []byte
	for _, end := range t.ends {
		ends = snapshot.AppendU64(ends, uint64(end))
	}
	for _, c := range t.currencies {
		currencies = snapshot.AppendU32(currencies, t.texts.numberText(string(c)))
	}
	w.Add(layout.SectionMeta, meta)
	if err := t.texts.table.AddTo(w, layout.SectionStrings); err != nil {
		return nil, err
	}
	w.Add(layout.SectionCurrencies, currencies)
	w.Add(layout.SectionRows, t.rows)
	w.Add(layout.SectionCardRows, cardRows)
	w.Add(layout.SectionOfferRows, offerRows)
	w.Add(layout.SectionPoints, t.points)
	w.Add(layout.SectionExtras, t.extras)
	w.Add(layout.SectionEnds, ends)
	w.Add(layout.SectionRevs, revs)
	return w.Bytes()
}

// sharedSize returns the bytes of everything but the rows.
func (t *priceTable) sharedSize() int { return t.texts.table.Size() + len(t.points) + len(t.extras) }

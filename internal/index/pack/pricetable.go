package pack

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

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
	f := new(priceFormatter)
	for _, r := range regions {
		f.regions = append(f.regions, r.String())
		f.words = append(f.words, money.RegionWords(r.String()))
	}
	return &priceTable{
		regions: regions, texts: texts, formatter: f,
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
	p := e.Price
	if trial || p != nil && p.Trial {
		x.flags |= layout.FlagTrial
	}
	currency, _ := money.RegionCurrency(t.regions[r[layout.RowRegion]].String())
	if p != nil {
		currency = cmp.Or(p.Currency, currency)
	}
	var known bool
	if x.currency, known = t.currencyNo[currency]; !known {
		if len(t.currencies) == 256 {
			return fmt.Errorf("currency %q: more than 255 currencies", currency)
		}
		x.currency = uint8(len(t.currencies))
		t.currencies = append(t.currencies, currency)
		t.currencyNo[currency] = x.currency
	}
	if p == nil {
		layout.Put32(r, layout.RowExtra, t.numberExtra(x))
		return nil
	}
	x.flags |= layout.FlagPriced
	if p.Subscription {
		x.flags |= layout.FlagSubscription
	}
	if p.Source == catalog.SourceDoubtful {
		x.flags |= layout.FlagDoubtful
	}
	if p.DiscountPercent >= 0 && x.flags&layout.FlagTrial == 0 { // a trial is not a discount
		r[layout.RowPercent] = byte(min(p.DiscountPercent, 100))
	}
	base, current := shownPrices(p, r[layout.RowRegion], &x)
	layout.Put32(r, layout.RowBase, t.numberPrice(base))
	layout.Put32(r, layout.RowCurrent, t.numberPrice(current))
	x.label, x.source = t.texts.numberText(p.DiscountLabel), t.texts.numberText(p.Source)
	if p.DiscountEndsAt > 0 {
		x.end = 1 + t.endAt[p.DiscountEndsAt]
	}
	layout.Put32(r, layout.RowExtra, t.numberExtra(x))
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

func (t *priceTable) numberExtra(x extra) uint32 {
	n, known := t.extraAt[x]
	if !known {
		n = uint32(len(t.extras) / layout.ExtraSize)
		t.extras = snapshot.AppendU32(t.extras, x.label, x.edition, x.source, x.url, x.end)
		t.extras = append(snapshot.AppendU16(t.extras, x.variants), x.currency, x.flags)
		t.hashes.extras = append(t.hashes.extras, t.hashExtra(x))
		t.extraAt[x] = n
	}
	return n
}

// blob writes the sections.
func (t *priceTable) blob(catalog string, cardRows, offerRows, revs, changes []byte) ([]byte, error) {
	w := snapshot.NewWriter(layout.PricesKind, layout.Format)
	meta, _ := json.Marshal(layout.PricesMeta{Catalog: catalog})
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
	w.Add(layout.SectionChanges, changes)
	return w.Bytes()
}

// sharedSize returns the bytes of everything but the rows.
func (t *priceTable) sharedSize() int { return t.texts.table.Size() + len(t.points) + len(t.extras) }

// priceFormatter writes prices as their region does (contract, section 4).
type priceFormatter struct {
	formatter money.Formatter
	regions   []string      // codes, by number
	words     []money.Words // by number
}

// shownPrice is an amount, the text that the store showed, and the fields that
// select another text.
type shownPrice struct {
	amount           money.Amount
	text             string
	region, currency uint8
	flags            uint8 // FlagTrial, FlagSubscription
}

// shownPrices returns the base and current price of a listing. If both amounts
// are the same and there is no discount, a text of one is also the other's.
func shownPrices(p *catalog.Price, region uint8, x *extra) (base, current shownPrice) {
	base = shownPrice{
		amount: max(p.Base, money.None), text: p.BaseText,
		region: region, currency: x.currency, flags: x.flags & (layout.FlagTrial | layout.FlagSubscription),
	}
	current = base
	current.amount, current.text = max(p.Current, money.None), p.CurrentText
	if p.Base == p.Current && p.DiscountPercent <= 0 {
		base.text, current.text = cmp.Or(base.text, current.text), cmp.Or(current.text, base.text)
	}
	return base, current
}

// text returns the store's text, else a word for zero or the amount by CLDR.
func (f *priceFormatter) text(s shownPrice, c money.Currency) string {
	words := f.words[s.region]
	switch zero := s.amount == 0 && strings.IndexFunc(s.text, unicode.IsLetter) < 0; {
	case zero && s.flags&layout.FlagTrial != 0:
		return words.Trial
	case zero && s.flags&layout.FlagSubscription != 0:
		return words.Included
	case zero:
		return words.Free
	case s.text != "":
		return s.text
	case s.amount.Known():
		return f.formatter.Format(f.regions[s.region], c, s.amount)
	}
	return ""
}

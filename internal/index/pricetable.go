package index

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/snapshot"
)

// priceTable is the rows of a prices blob and the tables that they refer to,
// in which each distinct record stands once. Build fills an empty one; Reprice
// goes on with one that is packed.
type priceTable struct {
	places     []catalog.Region // by number
	texts      *texts
	shown      *priceTexts
	rows       []byte
	points     []byte
	pointAt    map[point]uint32
	askedAt    map[askedPrice]uint32 // as prices come → point
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
	t.point(point{amount: money.None})
	t.extra(extra{})
	return t
}

// emptyPriceTable lacks the records number 0.
func emptyPriceTable(regions []catalog.Region, texts *texts) *priceTable {
	return &priceTable{
		places: regions, texts: texts, shown: newPriceTexts(regions),
		pointAt: map[point]uint32{}, askedAt: map[askedPrice]uint32{}, extraAt: map[extra]uint32{},
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

// fill writes what an entry costs, and since when, into a row that has its
// region and product; x is what the row says beside.
func (t *priceTable) fill(r []byte, e *catalog.Entry, trial bool, x extra) error {
	r[rowPercent] = noPercent
	putPricedAt(r, min(max(0, int64(e.PricedAt)), lastPricedAt))
	put32(r, rowBase, 0)
	put32(r, rowCurrent, 0)
	if trial {
		x.flags |= flagTrial
	}
	if e.Price != nil {
		if err := t.price(r, e.Price, &x); err != nil {
			return err
		}
	}
	put32(r, rowExtra, t.extra(x))
	return nil
}

// price fills in what a listing costs.
func (t *priceTable) price(r []byte, p *catalog.Price, x *extra) (err error) {
	if x.currency, err = t.currency(p.Currency, t.places[r[rowRegion]]); err != nil {
		return err
	}
	x.flags |= priceFlags(p)
	if p.DiscountPercent >= 0 {
		r[rowPercent] = byte(min(p.DiscountPercent, 100))
	}
	base, current := askedPrices(p, r[rowRegion], x)
	put32(r, rowBase, t.priceNumber(base))
	put32(r, rowCurrent, t.priceNumber(current))
	x.label, x.source = t.texts.number(p.DiscountLabel), t.texts.number(p.Source)
	if p.DiscountEndsAt > 0 {
		x.end = 1 + t.endAt[p.DiscountEndsAt]
	}
	return nil
}

// priceNumber numbers the point of a price. A text is formatted once for all
// rows that ask for the same.
func (t *priceTable) priceNumber(a askedPrice) uint32 {
	n, known := t.askedAt[a]
	if !known {
		text := t.shown.text(a, t.currencies[a.currency])
		n = t.point(point{a.amount, t.texts.number(text)})
		t.askedAt[a] = n
	}
	return n
}

func (t *priceTable) point(p point) uint32 {
	n, known := t.pointAt[p]
	if !known {
		n = uint32(len(t.points) / pointSize)
		t.points = snapshot.AppendU32(t.points, p.text)
		t.points = snapshot.AppendU64(t.points, uint64(p.amount))
		t.hashes.points = append(t.hashes.points, t.hashPoint(p))
		t.pointAt[p] = n
	}
	return n
}

func priceFlags(p *catalog.Price) uint8 {
	flags := uint8(flagPriced)
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

// currency numbers the currency of a price; one without has the region's own.
func (t *priceTable) currency(c money.Currency, r catalog.Region) (uint8, error) {
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

func (t *priceTable) extra(x extra) uint32 {
	n, known := t.extraAt[x]
	if !known {
		n = uint32(len(t.extras) / extraSize)
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
	w := snapshot.NewWriter(pricesKind, Format)
	meta, err := json.Marshal(pricesMeta{Catalog: catalog})
	if err != nil {
		return nil, fmt.Errorf("write section %q: %w", secMeta, err)
	}
	var currencies []byte
	for _, c := range t.currencies {
		currencies = snapshot.AppendU32(currencies, t.texts.number(string(c)))
	}
	w.Add(secMeta, meta)
	if err := t.texts.table.AddTo(w, secStrings); err != nil {
		return nil, err
	}
	w.Add(secMoney, currencies)
	w.Add(secRows, t.rows)
	w.Add(secCardRows, cardRows)
	w.Add(secOfferRows, offerRows)
	w.Add(secPoints, t.points)
	w.Add(secExtras, t.extras)
	w.Add(secEnds, t.endTable())
	w.Add(secRevs, revs)
	return w.Bytes()
}

// size is how many bytes the tables beside the rows take.
func (t *priceTable) size() int { return t.texts.table.Size() + len(t.points) + len(t.extras) }

func (t *priceTable) endTable() []byte {
	var out []byte
	for _, end := range t.ends {
		out = snapshot.AppendU64(out, uint64(end))
	}
	return out
}

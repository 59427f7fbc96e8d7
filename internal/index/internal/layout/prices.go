package layout

import (
	"cmp"
	"encoding/json"
	"slices"

	"gamedex/internal/money"
	"gamedex/internal/snapshot"
)

// Prices is an opened prices blob: its sections, checked so that every number
// in them is in range.
type Prices struct {
	Size        int    // of the blob, in bytes
	Catalog     string // identity of the catalog it belongs to
	Strings     snapshot.Strings
	Currencies  []money.Currency // 0 is none
	Rows        []byte
	RegionCount int // above the number of any row's region
	CardRows    snapshot.U32s
	OfferRows   snapshot.U32s
	Points      []byte
	Extras      []byte
	Ends        snapshot.U64s
	Revs        snapshot.U64s
	Changes     snapshot.U32s // empty: not known
}

// OpenPrices checks a prices blob. It keeps the blob, which must not change.
func OpenPrices(blob []byte) (*Prices, error) {
	f, err := snapshot.Open(blob, PricesKind, Read())
	if err != nil {
		return nil, err
	}
	var meta PricesMeta
	if err := ReadMeta(f, &meta); err != nil {
		return nil, err
	}
	p := &Prices{Size: f.Size(), Catalog: meta.Catalog}
	if p.Strings, err = f.Strings(SectionStrings); err != nil {
		return nil, err
	}
	numbers, err := f.U32s(SectionCurrencies)
	if err != nil {
		return nil, err
	}
	if n := numbers.Len(); n < 1 || n > 256 || numbers.At(0) != 0 {
		return nil, snapshot.Damaged(SectionCurrencies, "%d currencies, want 1 to 256, number 0 empty", n)
	}
	for i := range numbers.Len() {
		if err := CheckNumber(SectionCurrencies, i, numbers.At(i), p.Strings.Len()); err != nil {
			return nil, err
		}
		p.Currencies = append(p.Currencies, money.Currency(p.Strings.At(numbers.At(i))))
	}
	err = cmp.Or(
		ReadRecords(f, SectionRows, RowSize, &p.Rows), ReadRecords(f, SectionPoints, PointSize, &p.Points),
		ReadRecords(f, SectionExtras, ExtraSize, &p.Extras), ReadRecords(f, SectionCardRows, 4, &p.CardRows),
		ReadRecords(f, SectionOfferRows, 4, &p.OfferRows), ReadRecords(f, SectionEnds, 8, &p.Ends), ReadRecords(f, SectionRevs, 8, &p.Revs))
	if err != nil {
		return nil, err
	}
	if slices.Contains(f.Names(), SectionChanges) {
		if p.Changes, err = f.U32s(SectionChanges); err != nil {
			return nil, err
		}
	}
	return p, p.check()
}

// ReadMeta decodes the section "meta".
func ReadMeta(f *snapshot.File, into any) error {
	b, err := f.Section(SectionMeta)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return snapshot.Damaged(SectionMeta, "%v", err)
	}
	return nil
}

// ReadRecords reads a section of records of one size.
func ReadRecords[T ~[]byte](f *snapshot.File, name string, size int, into *T) (err error) {
	*into, err = f.Records(name, size)
	return err
}

// CheckBelongs returns an error unless the prices belong to a catalog with this
// identity and these numbers of things.
func (p *Prices) CheckBelongs(identity string, cards, offers, regions int) error {
	if p.Catalog != identity {
		return snapshot.Damaged(SectionMeta, "the prices belong to catalog %q, not %q", p.Catalog, identity)
	}
	if n := p.Revs.Len(); n != cards {
		return snapshot.Damaged(SectionRevs, "%d for %d cards", n, cards)
	}
	if n := p.Changes.Len(); n != 0 && n != cards {
		return snapshot.Damaged(SectionChanges, "%d for %d cards", n, cards)
	}
	if n := p.CardRows.Len(); n != 2*cards {
		return snapshot.Damaged(SectionCardRows, "%d numbers for %d pairs", n, cards)
	}
	if n := p.OfferRows.Len(); n != 2*offers {
		return snapshot.Damaged(SectionOfferRows, "%d numbers for %d pairs", n, offers)
	}
	if p.RegionCount > regions {
		return snapshot.Damaged(SectionRows, "a row has region %d of %d", p.RegionCount-1, regions)
	}
	return nil
}

package pack

import (
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/money"
)

// resumePriceTable continues the tables of an opened blob. Its rows are those of
// the blob itself.
func resumePriceTable(regions []catalog.Region, old *layout.Prices) *priceTable {
	t := emptyPriceTable(regions, resumeTexts(old.Strings))
	t.rows, t.points, t.extras = old.Rows, slices.Clone(old.Points), slices.Clone(old.Extras)
	for i, c := range old.Currencies {
		t.currencies = append(t.currencies, c)
		t.currencyNo[c] = uint8(i)
	}
	for i := range old.Ends.Len() {
		t.ends = append(t.ends, int64(old.Ends.At(i)))
		t.endAt[catalog.Millis(old.Ends.At(i))] = uint32(i)
	}
	for i := range len(t.points) / layout.PointSize {
		r := t.points[i*layout.PointSize:]
		p := point{money.Amount(layout.U64(r, layout.PointAmount)), layout.U32(r, layout.PointText)}
		t.hashes.points = append(t.hashes.points, t.hashPoint(p))
		t.pointAt[p] = uint32(i)
	}
	for i := range len(t.extras) / layout.ExtraSize {
		x := t.extraRecord(uint32(i))
		t.hashes.extras = append(t.hashes.extras, t.hashExtra(x))
		t.extraAt[x] = uint32(i)
	}
	return t
}

func (t *priceTable) extraRecord(n uint32) extra {
	r := t.extras[int(n)*layout.ExtraSize:]
	return extra{
		label: layout.U32(r, layout.ExtraLabel), edition: layout.U32(r, layout.ExtraEdition), source: layout.U32(r, layout.ExtraSource), url: layout.U32(r, layout.ExtraURL),
		end: layout.U32(r, layout.ExtraEnd), variants: uint16(r[layout.ExtraVariants]) | uint16(r[layout.ExtraVariants+1])<<8,
		currency: r[layout.ExtraCurrency], flags: r[layout.ExtraFlags],
	}
}

// renumberEnds replaces the ends. Records that refer to a removed one lose it: no
// row may use them.
func (t *priceTable) renumberEnds(ends map[catalog.Millis]bool) {
	old := slices.Clone(t.ends)
	t.numberEnds(ends)
	clear(t.extraAt)
	for i := range len(t.extras) / layout.ExtraSize {
		x := t.extraRecord(uint32(i))
		if x.end != 0 {
			n, kept := t.endAt[catalog.Millis(old[x.end-1])]
			if x.end = 0; kept {
				x.end = 1 + n
			}
			layout.Put32(t.extras, i*layout.ExtraSize+layout.ExtraEnd, x.end)
		}
		t.extraAt[x] = uint32(i)
	}
}

// dropUnusedEnds removes the ends that no row has: the number of passed ends is
// part of answers' tags.
func (t *priceTable) dropUnusedEnds() {
	used := make([]bool, len(t.extras)/layout.ExtraSize)
	for r := t.rows; len(r) >= layout.RowSize; r = r[layout.RowSize:] {
		used[layout.U32(r, layout.RowExtra)] = true
	}
	ends := map[catalog.Millis]bool{}
	for i, is := range used {
		if x := t.extraRecord(uint32(i)); is && x.end != 0 {
			ends[catalog.Millis(t.ends[x.end-1])] = true
		}
	}
	if len(ends) < len(t.ends) {
		t.renumberEnds(ends)
	}
}

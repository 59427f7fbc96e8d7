package index

import (
	"math"

	"gamedex/internal/index/internal/layout"
)

// discountedCards returns the lists of [Snapshot.Discounted]: by region, the cards with
// a row that has a percentage, and is neither a trial nor doubtful.
func discountedCards(p *layout.Prices) [][]uint32 {
	lists := make([][]uint32, math.MaxUint8+1)
	for card := range p.CardRows.Len() / 2 {
		first, n := int(p.CardRows.At(2*card)), int(p.CardRows.At(2*card+1))
		for row := first; row < first+n; row++ {
			b := p.Rows[row*layout.RowSize : (row+1)*layout.RowSize]
			if percent := b[layout.RowPercent]; percent == 0 || percent == layout.NoPercent {
				continue
			}
			extra := int(layout.U32(b, layout.RowExtra))
			if flags := p.Extras[extra*layout.ExtraSize+layout.ExtraFlags]; flags&(layout.FlagTrial|layout.FlagDoubtful) == 0 {
				lists[b[layout.RowRegion]] = append(lists[b[layout.RowRegion]], uint32(card))
			}
		}
	}
	return lists
}

package pack

import (
	"math"
	"slices"

	"gamedex/internal/index"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/snapshot"
)

// Former has the publication that last changed each card of a published snapshot, by a hash
// of all that bulk prices show of the card itself. It is nil if that is not known: then all
// cards count as changed.
type Former map[uint64]uint32

// ReadFormer reads the blobs of the published snapshot. It returns nil if an older
// version of the program wrote them.
func ReadFormer(catalogBlob, pricesBlob []byte) (Former, error) {
	prices, err := layout.OpenPrices(pricesBlob)
	if err != nil || prices.Changes.Len() == 0 {
		return nil, err
	}
	c, err := index.OpenCatalog(catalogBlob)
	if err != nil {
		return nil, err
	}
	regions, first, err := c.Locate(prices)
	if err != nil {
		return nil, err
	}
	hashes, err := shownHashes(c, resumePriceTable(regions, prices), first)
	if err != nil {
		return nil, err
	}
	former := make(Former, len(hashes))
	for i, hash := range hashes {
		former[hash] = prices.Changes.At(i)
	}
	return former, nil
}

// shownHashes returns the hash of each card with its rows and those of its offers, which begin
// at first; the last number is where they end.
func shownHashes(c *index.Catalog, t *priceTable, first []uint32) ([]uint64, error) {
	hashes := c.ShownHashes()
	for i := range hashes {
		from, to := int(first[i])*layout.RowSize, int(first[i+1])*layout.RowSize
		if from > to {
			return nil, snapshot.Damaged(layout.SectionRows, "those of card %d end before they begin", i)
		}
		hashes[i] = digest(hashes[i]).addNumber(t.hashRows(t.rows[from:to], false)).sum()
	}
	return hashes, nil
}

// changesOf returns the section of changes of a build.
func changesOf(in Input, c *catalogPacker, k *pricePacker, catalogBlob []byte) ([]byte, error) {
	changes := make([]byte, 0, 4*len(c.cards))
	if in.Former == nil {
		for range c.cards {
			changes = snapshot.AppendU32(changes, stamp(in.Seq))
		}
		return changes, nil
	}
	packed, err := index.OpenCatalog(catalogBlob)
	if err != nil {
		return nil, err
	}
	hashes, err := shownHashes(packed, k.priceTable, append(slices.Clip(k.firstRows), uint32(len(k.entries))))
	if err != nil {
		return nil, err
	}
	for _, hash := range hashes {
		at, same := in.Former[hash]
		if !same {
			at = stamp(in.Seq)
		}
		changes = snapshot.AppendU32(changes, at)
	}
	return changes, nil
}

// resumeChanges continues the changes of an opened blob.
func resumeChanges(old *layout.Prices, seq int64) []byte {
	changes := append([]byte(nil), old.Changes...)
	for len(changes) < 4*old.Revs.Len() { // not known
		changes = snapshot.AppendU32(changes, stamp(seq))
	}
	return changes
}

// stamp returns the number of a publication as the section has it. The highest stands for
// all above.
func stamp(seq int64) uint32 { return uint32(min(seq, math.MaxUint32)) }

package pack

import (
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/snapshot"
)

// recordHashes are the hashes of the points and extras, by number. They depend
// on the fields, not on the numbers of this build.
type recordHashes struct{ points, extras []uint64 }

func (t *priceTable) hashPoint(p point) uint64 {
	return digest(0).addNumber(uint64(p.amount)).addNumber(t.texts.hashes[p.text]).sum()
}

func (t *priceTable) hashExtra(x extra) uint64 {
	d := digest(0).addNumber(uint64(x.flags) | uint64(x.variants)<<8).addText(string(t.currencies[x.currency]))
	for _, text := range []uint32{x.label, x.edition, x.source, x.url} {
		d = d.addNumber(t.texts.hashes[text])
	}
	if x.end != 0 {
		d = d.addNumber(uint64(t.ends[x.end-1]))
	}
	return d.sum()
}

// hashRows hashes the fields of packed rows.
func (t *priceTable) hashRows(rows []byte) uint64 {
	d := digest(0)
	for ; len(rows) > 0; rows = rows[layout.RowSize:] {
		r := rows[:layout.RowSize]
		region := t.regions[r[layout.RowRegion]]
		d = d.addNumber(uint64(region[0]) | uint64(region[1])<<8 | uint64(r[layout.RowPercent])<<16)
		d = d.addNumber(uint64(layout.PricedAt(r))).addNumber(t.texts.hashes[layout.U32(r, layout.RowProduct)])
		d = d.addNumber(t.hashes.points[layout.U32(r, layout.RowBase)]).addNumber(t.hashes.points[layout.U32(r, layout.RowCurrent)])
		d = d.addNumber(t.hashes.extras[layout.U32(r, layout.RowExtra)])
	}
	return d.sum()
}

// revs returns the rev of every card: a hash of its own record and rows, and of
// those of each card that its answers list, in their order. Active regions are
// part of it because they select what answers show.
func (p *Repricer) revs() []byte {
	seed := digest(layout.Format)
	for _, r := range p.active {
		seed = seed.addText(r.String())
	}
	own := make([]uint64, len(p.cardHashes))
	for i := range own {
		own[i] = seed.addNumber(p.cardHashes[i]).addNumber(p.rowHashes[i]).sum()
	}
	sums := make([]uint64, p.links.Len()) // place of a list → hash of its cards; 0: not known
	out := make([]byte, 0, 8*len(own))
	for i := range own {
		d := digest(own[i])
		for _, place := range p.lists[i] {
			if sums[place] == 0 {
				sums[place] = hashCards(layout.ListAt(p.links, place), own)
			}
			d = d.addNumber(sums[place])
		}
		out = snapshot.AppendU64(out, d.sum())
	}
	return out
}

func hashCards(list snapshot.U32s, own []uint64) uint64 {
	d := digest(0)
	for i := range list.Len() {
		d = d.addNumber(own[list.At(i)])
	}
	return d.sum()
}

package index

import (
	"gamedex/internal/snapshot"
)

// recordHashes are the hashes of the points and extras, by number: of what they
// say, not of the numbers of this build.
type recordHashes struct{ points, extras []uint64 }

func (t *priceTable) hashPoint(p point) uint64 {
	return digest(0).add(uint64(p.amount)).add(t.texts.hashes[p.text]).sum()
}

func (t *priceTable) hashExtra(x extra) uint64 {
	d := digest(0).add(uint64(x.flags) | uint64(x.variants)<<8).text(string(t.currencies[x.currency]))
	for _, text := range []uint32{x.label, x.edition, x.source, x.url} {
		d = d.add(t.texts.hashes[text])
	}
	if x.end != 0 {
		d = d.add(uint64(t.ends[x.end-1]))
	}
	return d.sum()
}

// content hashes packed rows by what they say.
func (t *priceTable) content(rows []byte) uint64 {
	d := digest(0)
	for ; len(rows) > 0; rows = rows[rowSize:] {
		r := rows[:rowSize]
		region := t.places[r[rowRegion]]
		d = d.add(uint64(region[0]) | uint64(region[1])<<8 | uint64(r[rowPercent])<<16)
		d = d.add(uint64(pricedAt(r))).add(t.texts.hashes[u32(r, rowProduct)])
		d = d.add(t.hashes.points[u32(r, rowBase)]).add(t.hashes.points[u32(r, rowCurrent)])
		d = d.add(t.hashes.extras[u32(r, rowExtra)])
	}
	return d.sum()
}

// revs writes Card.Rev of every card: what the card says and costs itself, and
// the same of each card that its answers list, in their order. The active
// regions choose what answers show, so they enter too.
func (p *Packing) revs() []byte {
	seed := digest(Format)
	for _, r := range p.active {
		seed = seed.text(r.String())
	}
	own := make([]uint64, len(p.says))
	for i := range own {
		own[i] = seed.add(p.says[i]).add(p.costs[i]).sum()
	}
	sums := make([]uint64, p.links.Len()) // place of a list → hash of its cards; 0: not known
	out := make([]byte, 0, 8*len(own))
	for i := range own {
		d := digest(own[i])
		for _, place := range p.lists[i] {
			if sums[place] == 0 {
				sums[place] = hashCards(listAt(p.links, place), own)
			}
			d = d.add(sums[place])
		}
		out = snapshot.AppendU64(out, d.sum())
	}
	return out
}

func hashCards(list snapshot.U32s, own []uint64) uint64 {
	d := digest(0)
	for i := range list.Len() {
		d = d.add(own[list.At(i)])
	}
	return d.sum()
}

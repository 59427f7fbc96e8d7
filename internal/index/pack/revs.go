package pack

import (
	"encoding/binary"
	"math/bits"

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

// hashRows hashes the fields of packed rows, with or without their times.
func (t *priceTable) hashRows(rows []byte, times bool) uint64 {
	d := digest(0)
	for ; len(rows) > 0; rows = rows[layout.RowSize:] {
		r := rows[:layout.RowSize]
		region := t.regions[r[layout.RowRegion]]
		d = d.addNumber(uint64(region[0]) | uint64(region[1])<<8 | uint64(r[layout.RowPercent])<<16)
		if times {
			d = d.addNumber(uint64(layout.PricedAt(r)))
		}
		d = d.addNumber(t.texts.hashes[layout.U32(r, layout.RowProduct)])
		d = d.addNumber(t.hashes.points[layout.U32(r, layout.RowBase)]).addNumber(t.hashes.points[layout.U32(r, layout.RowCurrent)])
		d = d.addNumber(t.hashes.extras[layout.U32(r, layout.RowExtra)])
	}
	return d.sum()
}

// revs returns the rev of every card: a hash of the card's record and rows, and of
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
	sums := make([]uint64, p.links.Len()) // offset of a list → hash of its cards; 0: not known
	out := make([]byte, 0, 8*len(own))
	for i := range own {
		d := digest(own[i])
		for _, offset := range p.lists[i] {
			if sums[offset] == 0 {
				list, sum := layout.ListAt(p.links, offset), digest(0)
				for i := range list.Len() {
					sum = sum.addNumber(own[list.At(i)])
				}
				sums[offset] = sum.sum()
			}
			d = d.addNumber(sums[offset])
		}
		out = snapshot.AppendU64(out, d.sum())
	}
	return out
}

// digest is a running 64-bit hash of numbers and texts. It is the same on every
// machine and in every version: revs and identities are compared across builds.
// It detects changes, not forgeries.
type digest uint64

// addNumber adds a number. Each step is invertible, so two sequences that differ in
// one number never have the same hash.
func (d digest) addNumber(v uint64) digest {
	v = bits.RotateLeft64(v*0x87c37b91114253d5, 31) * 0x4cf5ad432745937f
	return digest(bits.RotateLeft64(uint64(d)^v, 27)*5 + 0x52dce729)
}

// addText adds a text and its length.
func (d digest) addText(s string) digest {
	d = d.addNumber(uint64(len(s)))
	for len(s) >= 8 {
		d = d.addNumber(binary.LittleEndian.Uint64([]byte(s[:8])))
		s = s[8:]
	}
	var rest [8]byte
	copy(rest[:], s)
	return d.addNumber(binary.LittleEndian.Uint64(rest[:]))
}

// sum returns the hash, spread over all bits.
func (d digest) sum() uint64 {
	v := uint64(d)
	v = (v ^ v>>33) * 0xff51afd7ed558ccd
	v = (v ^ v>>33) * 0xc4ceb9fe1a85ec53
	return v ^ v>>33
}

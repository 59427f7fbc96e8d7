package index

import (
	"gamedex/internal/snapshot"
)

// content hashes packed rows by what they say, not by the numbers of this
// build.
func (k *pricePacker) content(rows []byte) uint64 {
	d := digest(0)
	for ; len(rows) > 0; rows = rows[rowSize:] {
		r := rows[:rowSize]
		region := k.regions[r[rowRegion]]
		d = d.add(uint64(region[0]) | uint64(region[1])<<8 | uint64(r[rowFlags])<<16 | uint64(r[rowPercent])<<24 |
			uint64(r[rowVariants])<<32 | uint64(r[rowVariants+1])<<40)
		d = d.text(string(k.currencies[r[rowCurrency]])).add(uint64(u48(r, rowPricedAt)))
		if r[rowFlags]&flagWide != 0 {
			pair := 2 * int(u32(r, rowBase))
			d = d.add(snapshot.U64s(k.wide).At(pair)).add(snapshot.U64s(k.wide).At(pair + 1))
		} else {
			d = d.add(uint64(u32(r, rowBase)) | uint64(u32(r, rowCurrent))<<32)
		}
		for _, field := range []int{rowBaseText, rowCurrentText, rowProduct, rowURL} {
			d = d.add(k.texts.hashes[u32(r, field)])
		}
		d = k.addExtra(d, u32(r, rowExtra))
	}
	return d.sum()
}

func (k *pricePacker) addExtra(d digest, n uint32) digest {
	x := k.extras[int(n)*extraSize:]
	for _, field := range []int{extraLabel, extraEdition, extraSource} {
		d = d.add(k.texts.hashes[u32(x, field)])
	}
	if end := u32(x, extraEnd); end != 0 {
		return d.add(uint64(k.ends[end-1]))
	}
	return d.add(0)
}

// revs writes Card.Rev of every card: what the card says and costs itself, and
// the same of each card that its answers list, in their order. The active
// regions choose what answers show, so they enter too.
func revs(k *pricePacker, c *catalogPacker) []byte {
	seed := digest(Format)
	for _, r := range k.in.Active {
		seed = seed.text(r.String())
	}
	own := make([]uint64, len(k.cards))
	for i := range own {
		own[i] = seed.add(c.contents[i]).add(k.contents[i]).sum()
	}
	links := snapshot.U32s(c.links.data)
	sums := map[uint32]uint64{} // place of a list → hash of its cards
	sum := func(place uint32) uint64 {
		s, known := sums[place]
		if !known {
			list, d := listAt(links, place), digest(0)
			for i := range list.Len() {
				d = d.add(own[list.At(i)])
			}
			s = d.sum()
			sums[place] = s
		}
		return s
	}
	out := make([]byte, 0, 8*len(own))
	for i := range own {
		r := c.records[i*cardSize:]
		d := digest(own[i])
		for _, field := range []int{cardGames, cardAddOns, cardMembers} {
			d = d.add(sum(u32(r, field)))
		}
		out = snapshot.AppendU64(out, d.sum())
	}
	return out
}

package index

import (
	"hash/maphash"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
)

// shownSeed is the seed of hashes that only this process compares.
var shownSeed = maphash.MakeSeed()

// ShownHashes returns by card a hash of all that bulk prices show of the card itself but for
// its rows. It is the same in all catalogs that show the same. Active regions are part of it
// because they are shown by default.
func (c *Catalog) ShownHashes() []uint64 {
	s := &Snapshot{catalog: c}
	hashes := make([]uint64, c.len())
	for n := range hashes {
		hashes[n] = s.Card(n).shownHash()
	}
	// Of cards with the same id or alias the first is found.
	for _, cards := range c.ids.Shared() {
		h := newShownHash()
		for _, n := range cards {
			s.Card(int(n)).addKey(h)
		}
		for _, n := range cards {
			hashes[n] = maphash.Comparable(shownSeed, [2]uint64{hashes[n], h.Sum64()})
		}
	}
	return hashes
}

func newShownHash() *maphash.Hash {
	h := new(maphash.Hash)
	h.SetSeed(shownSeed)
	return h
}

func (c Card) shownHash() uint64 {
	h := newShownHash()
	for _, r := range c.s.catalog.active {
		maphash.WriteComparable(h, r.Code)
	}
	maphash.WriteComparable(h, [4]byte(c.record()[layout.CardKind:]))
	maphash.WriteComparable(h, [...]string{c.ID(), c.Title(), c.EditionName(), c.InvariantName(), c.Publisher(), c.ReleaseDate(), c.Cover()})
	for _, list := range [...]List{c.Genres(), c.Platforms(), c.Aliases()} {
		addList(h, list)
	}
	if c.Class() == catalog.GameClass { // editions are cards with hashes of their own
		editions := c.Editions()
		maphash.WriteComparable(h, editions.Len())
		for i := range editions.Len() {
			editions.At(i).addKey(h)
		}
	}
	c.s.catalog.addLocal(h, c.n)
	offers := c.Offers()
	for i := range offers.Len() {
		o := offers.At(i)
		maphash.WriteComparable(h, [2]byte(o.record()[layout.OfferType:])) // and whether it is an edition
		maphash.WriteComparable(h, [...]string{o.ID(), o.Title(), o.Edition()})
		c.s.catalog.addLocal(h, o.owner())
	}
	return h.Sum64()
}

// addKey adds what no other card of the catalog has.
func (c Card) addKey(h *maphash.Hash) {
	maphash.WriteComparable(h, c.Platform())
	maphash.WriteComparable(h, c.ID())
}

func addList(h *maphash.Hash, list List) {
	maphash.WriteComparable(h, list.Len())
	for i := range list.Len() {
		maphash.WriteComparable(h, list.At(i))
	}
}

// addLocal adds the texts by language of an owner, but no descriptions. Owners are as in findLocal.
func (c *Catalog) addLocal(h *maphash.Hash, owner uint32) {
	from, to := c.local.first.At(int(owner)), c.local.first.At(int(owner+1))
	maphash.WriteComparable(h, to-from)
	for n := from; n < to; n++ {
		r := c.local.records[int(n)*layout.LocalSize : int(n+1)*layout.LocalSize]
		maphash.WriteComparable(h, [...]string{c.strings.At(layout.U32(r, layout.LocalTitle)), c.strings.At(layout.U32(r, layout.LocalEdition))})
		addList(h, List{c.strings, layout.ListAt(c.texts, layout.U32(r, layout.LocalLanguages))})
	}
}

// Locate returns the regions of prices by number, and by card its first row, those of its offers
// included; the last number is that of all rows. Prices of another catalog are an error.
func (c *Catalog) Locate(p *layout.Prices) (regions []catalog.Region, first []uint32, err error) {
	if err := p.CheckBelongs(c.identity, c.len(), c.offerCount(), len(c.regions)); err != nil {
		return nil, nil, err
	}
	for _, r := range c.regions {
		regions = append(regions, r.Code)
	}
	for n := range c.len() {
		pairs, at := p.CardRows, n
		if r := c.records[n*layout.CardSize:]; layout.U32(r, layout.CardOfferCount) > 0 {
			pairs, at = p.OfferRows, int(layout.U32(r, layout.CardOffers))
		}
		first = append(first, pairs.At(2*at))
	}
	return regions, append(first, uint32(len(p.Rows)/layout.RowSize)), nil
}

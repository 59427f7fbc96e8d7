package pack

import (
	"math"

	"gamedex/internal/catalog"
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
	c, err := openShown(catalogBlob, nil)
	if err != nil {
		return nil, err
	}
	cards := len(c.records) / layout.CardSize
	if err := prices.CheckBelongs(c.meta.Identity, cards, len(c.offers)/layout.OfferSize, len(c.meta.Regions)); err != nil {
		return nil, err
	}
	regions := make([]catalog.Region, len(c.meta.Regions))
	for i, code := range c.meta.Regions {
		if regions[i], err = catalog.ParseRegion(code); err != nil {
			return nil, snapshot.Damaged(layout.SectionMeta, "%v", err)
		}
	}
	first := make([]uint32, cards, cards+1)
	for i := range first {
		pairs, n := prices.CardRows, i
		if r := c.records[i*layout.CardSize:]; layout.U32(r, layout.CardOfferCount) > 0 {
			pairs, n = prices.OfferRows, int(layout.U32(r, layout.CardOffers))
		}
		if 2*n >= pairs.Len() {
			return nil, c.wrong()
		}
		first[i] = pairs.At(2 * n)
	}
	first = append(first, uint32(len(prices.Rows)/layout.RowSize))
	hashes, err := c.hashes(resumePriceTable(regions, prices), first)
	if err != nil {
		return nil, err
	}
	former := make(Former, cards)
	for i, hash := range hashes {
		former[hash] = prices.Changes.At(i)
	}
	return former, nil
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
	shown, err := openShown(catalogBlob, c.texts.hashes)
	if err != nil {
		return nil, err
	}
	hashes, err := shown.hashes(k.priceTable, append(k.firstRows[:len(k.firstRows):len(k.firstRows)], uint32(len(k.entries))))
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

// shown reads what bulk prices show of cards from the sections of a catalog blob.
type shown struct {
	meta                   layout.CatalogMeta
	texts                  []uint64 // hashes of texts
	records, offers, local []byte
	lists, links, first    snapshot.U32s
	ids                    layout.HashTable
	editions               map[uint32]uint64 // offset of a list → hash of its ids
	damaged                bool              // a number leads out of its section
}

// openShown opens a catalog blob; texts are the hashes of its texts, nil if not known.
func openShown(blob []byte, texts []uint64) (*shown, error) {
	f, err := snapshot.Open(blob, layout.CatalogKind, layout.Read())
	if err != nil {
		return nil, err
	}
	c := &shown{texts: texts, editions: map[uint32]uint64{}}
	if err := layout.ReadMeta(f, &c.meta); err != nil {
		return nil, err
	}
	for _, section := range []struct {
		name string
		size int
		into *[]byte
	}{
		{layout.SectionCards, layout.CardSize, &c.records}, {layout.SectionOffers, layout.OfferSize, &c.offers},
		{layout.SectionLocal, layout.LocalSize, &c.local}, {layout.SectionLocalFirst, 4, (*[]byte)(&c.first)},
		{layout.SectionTexts, 4, (*[]byte)(&c.lists)}, {layout.SectionLinks, 4, (*[]byte)(&c.links)},
	} {
		if *section.into, err = f.Records(section.name, section.size); err != nil {
			return nil, err
		}
	}
	if c.ids, err = layout.OpenHashTable(f, layout.SectionIDs, len(c.records)/layout.CardSize); err != nil {
		return nil, err
	}
	if c.texts == nil {
		list, err := f.Strings(layout.SectionStrings)
		if err != nil {
			return nil, err
		}
		c.texts = hashTexts(list)
	}
	return c, nil
}

// hashes returns the hash of each card with its rows and those of its offers, which begin
// at first; the last number is where they end. Active regions are part of it because they
// are shown by default.
func (c *shown) hashes(t *priceTable, first []uint32) ([]uint64, error) {
	seed := digest(0)
	for _, code := range c.meta.Active {
		seed = seed.addText(code)
	}
	out := make([]uint64, len(c.records)/layout.CardSize)
	for i := range out {
		from, to := int(first[i])*layout.RowSize, int(first[i+1])*layout.RowSize
		if from > to || to > len(t.rows) {
			return nil, c.wrong()
		}
		out[i] = c.addCard(seed, i).addNumber(t.hashRows(t.rows[from:to], false)).sum()
	}
	// Of cards with the same id or alias the first is found.
	for _, cards := range c.ids.Shared() {
		d := digest(0)
		for _, n := range cards {
			d = d.addNumber(c.id(n))
		}
		for _, n := range cards {
			out[n] = digest(out[n]).addNumber(d.sum()).sum()
		}
	}
	if c.damaged {
		return nil, c.wrong()
	}
	return out, nil
}

func (c *shown) wrong() error {
	return snapshot.Damaged(layout.SectionCards, "a number leads out of its section")
}

// addCard adds the card's texts, and the ids of its editions, in order. Editions are cards
// with hashes of their own.
func (c *shown) addCard(d digest, n int) digest {
	r := c.records[n*layout.CardSize : (n+1)*layout.CardSize]
	d = d.addNumber(uint64(layout.U32(r, layout.CardKind)))
	for _, field := range [...]int{layout.CardID, layout.CardTitle, layout.CardEdition, layout.CardInvariant,
		layout.CardPublisher, layout.CardReleaseDate, layout.CardCover} {
		d = d.addNumber(c.text(layout.U32(r, field)))
	}
	for _, field := range [...]int{layout.CardGenres, layout.CardPlatforms, layout.CardAliases} {
		d = c.addTexts(d, layout.U32(r, field))
	}
	if catalog.Class(r[layout.CardKind+2]) == catalog.GameClass {
		d = d.addNumber(c.editionsAt(layout.U32(r, layout.CardGames)))
	}
	d = c.addLocal(d, n)
	firstOffer, offers := int(layout.U32(r, layout.CardOffers)), int(layout.U32(r, layout.CardOfferCount))
	for i := firstOffer; i < firstOffer+offers; i++ {
		if (i+1)*layout.OfferSize > len(c.offers) {
			c.damaged = true
			break
		}
		r := c.offers[i*layout.OfferSize:]
		d = d.addNumber(uint64(layout.U32(r, layout.OfferType))) // and whether it is an edition
		for _, field := range [...]int{layout.OfferID, layout.OfferTitle, layout.OfferEdition} {
			d = d.addNumber(c.text(layout.U32(r, field)))
		}
		d = c.addLocal(d, len(c.records)/layout.CardSize+i)
	}
	return d
}

// text returns the hash of a text.
func (c *shown) text(number uint32) uint64 {
	if int64(number) >= int64(len(c.texts)) {
		c.damaged = true
		return 0
	}
	return c.texts[number]
}

// id returns a hash of the platform and id of a card.
func (c *shown) id(card uint32) uint64 {
	if (int64(card)+1)*layout.CardSize > int64(len(c.records)) {
		c.damaged = true
		return 0
	}
	r := c.records[int(card)*layout.CardSize:]
	return digest(r[layout.CardKind]).addNumber(c.text(layout.U32(r, layout.CardID))).sum()
}

// list returns the list at an offset.
func (c *shown) list(lists snapshot.U32s, offset uint32) snapshot.U32s {
	if int64(offset) >= int64(lists.Len()) || int64(offset)+int64(lists.At(int(offset))) >= int64(lists.Len()) {
		c.damaged = true
		return nil
	}
	return layout.ListAt(lists, offset)
}

func (c *shown) addTexts(d digest, offset uint32) digest {
	list := c.list(c.lists, offset)
	d = d.addNumber(uint64(list.Len()))
	for i := range list.Len() {
		d = d.addNumber(c.text(list.At(i)))
	}
	return d
}

// editionsAt returns the hash of the ids in a list of cards.
func (c *shown) editionsAt(offset uint32) uint64 {
	sum, known := c.editions[offset]
	if !known {
		d, list := digest(0), c.list(c.links, offset)
		for i := range list.Len() {
			d = d.addNumber(c.id(list.At(i)))
		}
		sum = d.sum()
		c.editions[offset] = sum
	}
	return sum
}

// addLocal adds the texts by language of a card or an offer, but no descriptions.
func (c *shown) addLocal(d digest, owner int) digest {
	if owner+1 >= c.first.Len() {
		c.damaged = true
		return d
	}
	for n := int(c.first.At(owner)); n < int(c.first.At(owner+1)); n++ {
		if (n+1)*layout.LocalSize > len(c.local) {
			c.damaged = true
			break
		}
		r := c.local[n*layout.LocalSize:]
		d = c.addTexts(d.addNumber(c.text(layout.U32(r, layout.LocalTitle))).addNumber(c.text(layout.U32(r, layout.LocalEdition))), layout.U32(r, layout.LocalLanguages))
	}
	return d
}

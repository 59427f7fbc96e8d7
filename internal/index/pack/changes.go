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
	if err := prices.CheckBelongs(c.Identity, c.Len(), c.OfferCount(), len(c.Regions)); err != nil {
		return nil, err
	}
	first := make([]uint32, c.Len(), c.Len()+1)
	for i := range first {
		first[i] = prices.CardRows.At(2 * i)
		if r := c.Records[i*layout.CardSize:]; layout.U32(r, layout.CardOfferCount) > 0 {
			first[i] = prices.OfferRows.At(2 * int(layout.U32(r, layout.CardOffers)))
		}
	}
	first = append(first, uint32(len(prices.Rows)/layout.RowSize))
	hashes, err := c.hashes(resumePriceTable(c.Regions, prices), first)
	if err != nil {
		return nil, err
	}
	former := make(Former, c.Len())
	for i, hash := range hashes {
		former[hash] = prices.Changes.At(i)
	}
	return former, nil
}

// changesOf returns the section of changes of a build.
func changesOf(in Input, c *catalogPacker, k *pricePacker, catalogBlob []byte) ([]byte, error) {
	if in.Former == nil {
		return fillChanges(nil, len(c.cards), in.Seq), nil
	}
	shown, err := openShown(catalogBlob, c.texts.hashes)
	if err != nil {
		return nil, err
	}
	hashes, err := shown.hashes(k.priceTable, append(k.firstRows[:len(k.firstRows):len(k.firstRows)], uint32(len(k.entries))))
	if err != nil {
		return nil, err
	}
	changes := make([]byte, 0, 4*len(hashes))
	for _, hash := range hashes {
		at, same := in.Former[hash]
		if !same {
			at = stamp(in.Seq)
		}
		changes = snapshot.AppendU32(changes, at)
	}
	return changes, nil
}

// fillChanges adds a publication to a section for the cards that it lacks.
func fillChanges(changes []byte, cards int, seq int64) []byte {
	for len(changes) < 4*cards {
		changes = snapshot.AppendU32(changes, stamp(seq))
	}
	return changes
}

// stamp returns the number of a publication as the section has it. The highest stands for
// all above.
func stamp(seq int64) uint32 { return uint32(min(seq, math.MaxUint32)) }

// shown reads what bulk prices show of cards from a catalog blob.
type shown struct {
	*layout.Catalog
	texts    []uint64          // hashes of texts
	editions map[uint32]uint64 // offset of a list → hash of its ids
}

// openShown opens a catalog blob; texts are the hashes of its texts, nil if not known.
func openShown(blob []byte, texts []uint64) (*shown, error) {
	c, err := layout.OpenCatalog(blob)
	if err == nil && texts == nil {
		texts = hashTexts(c.Strings)
	}
	return &shown{c, texts, map[uint32]uint64{}}, err
}

// hashes returns the hash of each card with its rows and those of its offers, which begin
// at first; the last number is where they end. Active regions are part of it because they
// are shown by default.
func (c *shown) hashes(t *priceTable, first []uint32) ([]uint64, error) {
	seed := digest(0)
	for _, r := range c.Active {
		seed = seed.addText(r.String())
	}
	out := make([]uint64, c.Len())
	for i := range out {
		from, to := int(first[i])*layout.RowSize, int(first[i+1])*layout.RowSize
		if from > to {
			return nil, snapshot.Damaged(layout.SectionCards, "the rows of card %d begin behind those of the next one", i)
		}
		out[i] = c.addCard(seed, i).addNumber(t.hashRows(t.rows[from:to], false)).sum()
	}
	// Of cards with the same id or alias the first is found.
	for _, cards := range c.IDs.Shared() {
		d := digest(0)
		for _, n := range cards {
			d = d.addNumber(c.id(n))
		}
		for _, n := range cards {
			out[n] = digest(out[n]).addNumber(d.sum()).sum()
		}
	}
	return out, nil
}

// addCard adds the card's texts, and the ids of its editions, in order. Editions are cards
// with hashes of their own.
func (c *shown) addCard(d digest, n int) digest {
	r := c.Records[n*layout.CardSize:]
	d = d.addNumber(uint64(layout.U32(r, layout.CardKind)))
	d = c.addFields(d, r, layout.CardID, layout.CardTitle, layout.CardEdition, layout.CardInvariant,
		layout.CardPublisher, layout.CardReleaseDate, layout.CardCover)
	for _, field := range [...]int{layout.CardGenres, layout.CardPlatforms, layout.CardAliases} {
		d = c.addTexts(d, layout.U32(r, field))
	}
	if catalog.Class(r[layout.CardKind+2]) == catalog.GameClass {
		d = d.addNumber(c.editionsAt(layout.U32(r, layout.CardGames)))
	}
	d = c.addLocal(d, n)
	first, offers := int(layout.U32(r, layout.CardOffers)), int(layout.U32(r, layout.CardOfferCount))
	for i := first; i < first+offers; i++ {
		r := c.Offers[i*layout.OfferSize:]
		d = d.addNumber(uint64(layout.U32(r, layout.OfferType))) // and whether it is an edition
		d = c.addLocal(c.addFields(d, r, layout.OfferID, layout.OfferTitle, layout.OfferEdition), c.Len()+i)
	}
	return d
}

// addFields adds the texts of some fields of a record.
func (c *shown) addFields(d digest, record []byte, fields ...int) digest {
	for _, field := range fields {
		d = d.addNumber(c.texts[layout.U32(record, field)])
	}
	return d
}

// id returns a hash of the platform and id of a card.
func (c *shown) id(card uint32) uint64 {
	r := c.Records[int(card)*layout.CardSize:]
	return c.addFields(digest(r[layout.CardKind]), r, layout.CardID).sum()
}

func (c *shown) addTexts(d digest, offset uint32) digest {
	list := layout.ListAt(c.Texts, offset)
	d = d.addNumber(uint64(list.Len()))
	for i := range list.Len() {
		d = d.addNumber(c.texts[list.At(i)])
	}
	return d
}

// editionsAt returns the hash of the ids in a list of cards.
func (c *shown) editionsAt(offset uint32) uint64 {
	sum, known := c.editions[offset]
	if !known {
		d, list := digest(0), layout.ListAt(c.Links, offset)
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
	for n := int(c.LocalFirst.At(owner)); n < int(c.LocalFirst.At(owner+1)); n++ {
		r := c.Local[n*layout.LocalSize:]
		d = c.addTexts(c.addFields(d, r, layout.LocalTitle, layout.LocalEdition), layout.U32(r, layout.LocalLanguages))
	}
	return d
}

package layout

import (
	"cmp"
	"math"

	"gamedex/internal/catalog"
	"gamedex/internal/snapshot"
)

// Catalog is an opened catalog blob: its sections but those of the search index, checked so that every
// number in them is in range.
type Catalog struct {
	CatalogMeta
	File       *snapshot.File
	Strings    snapshot.Strings
	Records    []byte // of cards
	Offers     []byte
	Texts      snapshot.U32s
	Links      snapshot.U32s
	IDs        HashTable
	Keys       HashTable
	Moved      snapshot.U32s
	Ranking    []byte
	Languages  snapshot.U32s
	Local      []byte
	LocalFirst snapshot.U32s
	Served     [math.MaxUint8 + 1]bool // by platform: whether it has a card
}

// Len returns the number of cards.
func (c *Catalog) Len() int { return len(c.Records) / CardSize }

// OfferCount returns the number of offers.
func (c *Catalog) OfferCount() int { return len(c.Offers) / OfferSize }

// OpenCatalog checks a catalog blob. It keeps the blob, which must not change.
func OpenCatalog(blob []byte) (*Catalog, error) {
	f, err := snapshot.Open(blob, CatalogKind, Read())
	if err != nil {
		return nil, err
	}
	c := &Catalog{File: f}
	if err := ReadMeta(f, &c.CatalogMeta); err != nil {
		return nil, err
	}
	if c.Strings, err = f.Strings(SectionStrings); err != nil {
		return nil, err
	}
	err = cmp.Or(
		ReadRecords(f, SectionCards, CardSize, &c.Records), ReadRecords(f, SectionOffers, OfferSize, &c.Offers),
		ReadRecords(f, SectionTexts, 4, &c.Texts), ReadRecords(f, SectionLinks, 4, &c.Links),
		ReadRecords(f, SectionMoved, 4, &c.Moved), ReadRecords(f, SectionRanking, RankingSize, &c.Ranking),
		ReadRecords(f, SectionLanguages, 4, &c.Languages), ReadRecords(f, SectionLocal, LocalSize, &c.Local))
	if err != nil {
		return nil, err
	}
	if n := len(c.Ranking) / RankingSize; n != c.Len() {
		return nil, snapshot.Damaged(SectionRanking, "%d records, want %d", n, c.Len())
	}
	if c.LocalFirst, err = f.Offsets(SectionLocalFirst, c.Len()+c.OfferCount(), len(c.Local)/LocalSize); err != nil {
		return nil, err
	}
	if c.IDs, err = OpenHashTable(f, SectionIDs, c.Len()); err != nil {
		return nil, err
	}
	if c.Keys, err = OpenHashTable(f, SectionKeys, c.Len()); err != nil {
		return nil, err
	}
	return c, c.check()
}

// check checks what readers rely on: every number in a record is in range, so
// that no reader leaves its section.
func (c *Catalog) check() error {
	if n := int64(c.Len()); n > math.MaxInt32 {
		return snapshot.Damaged(SectionCards, "%d cards, at most %d", n, math.MaxInt32)
	}
	texts, err := CheckLists(SectionTexts, c.Texts, c.Strings.Len())
	if err != nil {
		return err
	}
	links, err := CheckLists(SectionLinks, c.Links, c.Len())
	if err != nil {
		return err
	}
	for i := range c.Len() {
		if err := c.checkCard(i, texts, links); err != nil {
			return err
		}
	}
	for i := range c.OfferCount() {
		r := c.Offers[i*OfferSize : (i+1)*OfferSize]
		largest := max(U32(r, OfferID), U32(r, OfferTitle), U32(r, OfferEdition))
		if err := CheckNumber(SectionOffers, i, largest, c.Strings.Len()); err != nil {
			return err
		}
		if t := catalog.Type(r[OfferType]); t.String() == "" {
			return snapshot.Damaged(SectionOffers, "record %d: type %d", i, t)
		}
	}
	return cmp.Or(c.checkLanguages(), c.checkLocal(texts), c.checkMoved(texts))
}

func (c *Catalog) checkCard(i int, texts, links ListStarts) error {
	r := c.Records[i*CardSize : (i+1)*CardSize]
	largest := uint32(0)
	for field := CardID; field < CardGenres; field += 4 {
		largest = max(largest, U32(r, field))
	}
	if err := CheckNumber(SectionCards, i, largest, c.Strings.Len()); err != nil {
		return err
	}
	for field := CardGenres; field < CardOffers; field += 4 {
		lists := texts
		if field >= CardGames {
			lists = links
		}
		if offset := U32(r, field); !lists.Has(offset) {
			return snapshot.Damaged(SectionCards, "record %d: no list begins at %d", i, offset)
		}
	}
	first, n := int64(U32(r, CardOffers)), int64(U32(r, CardOfferCount))
	if all := int64(c.OfferCount()); first+n > all {
		return snapshot.Damaged(SectionCards, "record %d: offers %d to %d of %d", i, first, first+n, all)
	}
	if U32(r, CardSelf) != uint32(i) {
		return snapshot.Damaged(SectionCards, "record %d is numbered %d", i, U32(r, CardSelf))
	}
	p, t, class := catalog.Platform(r[CardKind]), catalog.Type(r[CardKind+1]), catalog.Class(r[CardKind+2])
	if p.String() == "" || t.String() == "" || class < catalog.GameClass || class > catalog.DemoClass {
		return snapshot.Damaged(SectionCards, "record %d: platform %d, type %d, class %d", i, p, t, class)
	}
	c.Served[p] = true
	return nil
}

// checkMoved checks the pairs of former ids and lists, sorted by id.
func (c *Catalog) checkMoved(texts ListStarts) error {
	if c.Moved.Len()%2 != 0 {
		return snapshot.Damaged(SectionMoved, "%d numbers do not form pairs", c.Moved.Len())
	}
	last := ""
	for i := range c.Moved.Len() / 2 {
		number, offset := c.Moved.At(2*i), c.Moved.At(2*i+1)
		if err := CheckNumber(SectionMoved, i, number, c.Strings.Len()); err != nil {
			return err
		}
		if !texts.Has(offset) {
			return snapshot.Damaged(SectionMoved, "record %d: no list begins at %d", i, offset)
		}
		id := c.Strings.At(number)
		if id <= last {
			return snapshot.Damaged(SectionMoved, "record %d: %q comes after %q", i, id, last)
		}
		last = id
	}
	return nil
}

// checkLocal checks the records of texts by language.
func (c *Catalog) checkLocal(texts ListStarts) error {
	for i := range len(c.Local) / LocalSize {
		r := c.Local[i*LocalSize : (i+1)*LocalSize]
		largest := max(U32(r, LocalTitle), U32(r, LocalEdition), U32(r, LocalDescription))
		if err := CheckNumber(SectionLocal, i, largest, c.Strings.Len()); err != nil {
			return err
		}
		if offset := U32(r, LocalLanguages); !texts.Has(offset) {
			return snapshot.Damaged(SectionLocal, "record %d: no list begins at %d", i, offset)
		}
	}
	return nil
}

// checkLanguages checks that the languages are sorted.
func (c *Catalog) checkLanguages() error {
	last := ""
	for i := range c.Languages.Len() {
		number := c.Languages.At(i)
		if err := CheckNumber(SectionLanguages, i, number, c.Strings.Len()); err != nil {
			return err
		}
		code := c.Strings.At(number)
		if code <= last {
			return snapshot.Damaged(SectionLanguages, "record %d: %q comes after %q", i, code, last)
		}
		last = code
	}
	return nil
}

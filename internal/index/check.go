package index

import (
	"math"

	"gamedex/internal/catalog"
	"gamedex/internal/snapshot"
)

// What is checked here is what reading relies on: every number in a record
// leads to something. After it no reader can leave a section.

// below is an error unless number is one of limit things.
func below(section string, record int, number uint32, limit int) error {
	if int64(number) < int64(limit) {
		return nil
	}
	return snapshot.Damaged(section, "record %d: number %d of %d", record, number, limit)
}

// check checks the catalog blob by itself.
func (c *cards) check() error {
	if n := int64(len(c.records) / cardSize); n > math.MaxInt32 {
		return snapshot.Damaged(secCards, "%d cards, at most %d", n, math.MaxInt32)
	}
	texts, err := checkLists(secTexts, c.texts, c.strings.Len())
	if err != nil {
		return err
	}
	links, err := checkLists(secLinks, c.links, len(c.records)/cardSize)
	if err != nil {
		return err
	}
	for i := range len(c.records) / cardSize {
		if err := c.checkCard(i, texts, links); err != nil {
			return err
		}
	}
	for i := range len(c.offers) / offerSize {
		if err := c.checkOffer(i); err != nil {
			return err
		}
	}
	return c.checkMoved(texts)
}

// starts marks the places at which lists begin.
type starts []uint64

func (s starts) has(place uint32) bool {
	return int(place/64) < len(s) && s[place/64]&(1<<(place%64)) != 0
}

// checkLists walks a lists section from its start: lists fill it, and every
// number is below limit.
func checkLists(section string, lists snapshot.U32s, limit int) (starts, error) {
	n := lists.Len()
	found := make(starts, n/64+1)
	for at := 0; at < n; {
		length := int64(lists.At(at))
		if length > int64(n-at-1) || at == 0 && length != 0 {
			return nil, snapshot.Damaged(section, "list at %d of %d has %d numbers", at, n, length)
		}
		found[at/64] |= 1 << (at % 64)
		end := at + 1 + int(length)
		for at++; at < end; at++ {
			if err := below(section, at, lists.At(at), limit); err != nil {
				return nil, err
			}
		}
	}
	if n == 0 {
		return nil, snapshot.Damaged(section, "no empty list")
	}
	return found, nil
}

func (c *cards) checkCard(i int, texts, links starts) error {
	r := c.records[i*cardSize : (i+1)*cardSize]
	for field := cardID; field < cardGenres; field += 4 {
		if err := below(secCards, i, u32(r, field), c.strings.Len()); err != nil {
			return err
		}
	}
	for field := cardGenres; field < cardOffers; field += 4 {
		lists := texts
		if field >= cardGames {
			lists = links
		}
		if place := u32(r, field); !lists.has(place) {
			return snapshot.Damaged(secCards, "record %d: no list begins at %d", i, place)
		}
	}
	first, n := int64(u32(r, cardOffers)), int64(u32(r, cardOfferCount))
	if all := int64(len(c.offers) / offerSize); first+n > all {
		return snapshot.Damaged(secCards, "record %d: offers %d to %d of %d", i, first, first+n, all)
	}
	if u32(r, cardSelf) != uint32(i) {
		return snapshot.Damaged(secCards, "record %d says it is %d", i, u32(r, cardSelf))
	}
	return checkKind(i, r)
}

func checkKind(i int, r []byte) error {
	p, t, class := catalog.Platform(r[cardKind]), catalog.Type(r[cardKind+1]), catalog.Class(r[cardKind+2])
	if p.String() == "" || t.String() == "" || class < catalog.GameClass || class > catalog.DemoClass {
		return snapshot.Damaged(secCards, "record %d: platform %d, type %d, class %d", i, p, t, class)
	}
	return nil
}

func (c *cards) checkOffer(i int) error {
	r := c.offers[i*offerSize : (i+1)*offerSize]
	for _, field := range []int{offerID, offerTitle, offerEdition} {
		if err := below(secOffers, i, u32(r, field), c.strings.Len()); err != nil {
			return err
		}
	}
	if t := catalog.Type(r[offerType]); t.String() == "" {
		return snapshot.Damaged(secOffers, "record %d: type %d", i, t)
	}
	return nil
}

// checkMoved checks the pairs of former ids and lists, sorted by id.
func (c *cards) checkMoved(texts starts) error {
	if c.moved.Len()%2 != 0 {
		return snapshot.Damaged(secMoved, "%d numbers are no pairs", c.moved.Len())
	}
	last := ""
	for i := range c.moved.Len() / 2 {
		id, place := c.moved.At(2*i), c.moved.At(2*i+1)
		if err := below(secMoved, i, id, c.strings.Len()); err != nil {
			return err
		}
		if !texts.has(place) {
			return snapshot.Damaged(secMoved, "record %d: no list begins at %d", i, place)
		}
		if now := c.strings.At(id); now <= last {
			return snapshot.Damaged(secMoved, "record %d: %q stands after %q", i, now, last)
		} else {
			last = now
		}
	}
	return nil
}

// check checks the prices blob by itself.
func (p *prices) check() error {
	if p.wide.Len()%2 != 0 {
		return snapshot.Damaged(secWide, "%d amounts are no pairs", p.wide.Len())
	}
	if len(p.extras) == 0 {
		return snapshot.Damaged(secExtras, "empty")
	}
	for i := range p.ends.Len() {
		if i > 0 && p.ends.At(i-1) >= p.ends.At(i) || p.ends.At(i) > math.MaxInt64 {
			return snapshot.Damaged(secEnds, "record %d is not above the one before", i)
		}
	}
	for i := range len(p.extras) / extraSize {
		if err := p.checkExtra(i); err != nil {
			return err
		}
	}
	for i := range len(p.rows) / rowSize {
		if err := p.checkRow(i); err != nil {
			return err
		}
	}
	return nil
}

func (p *prices) checkExtra(i int) error {
	r := p.extras[i*extraSize : (i+1)*extraSize]
	for _, field := range []int{extraLabel, extraEdition, extraSource} {
		if err := below(secExtras, i, u32(r, field), p.words.Len()); err != nil {
			return err
		}
	}
	return below(secExtras, i, u32(r, extraEnd), p.ends.Len()+1)
}

func (p *prices) checkRow(i int) error {
	r := p.rows[i*rowSize : (i+1)*rowSize]
	worst := max(u32(r, rowBaseText), u32(r, rowCurrentText), u32(r, rowProduct), u32(r, rowURL))
	if err := below(secRows, i, worst, p.words.Len()); err != nil {
		return err
	}
	if err := below(secRows, i, u32(r, rowExtra), len(p.extras)/extraSize); err != nil {
		return err
	}
	if r[rowFlags]&flagWide != 0 {
		if err := below(secRows, i, u32(r, rowBase), p.wide.Len()/2); err != nil {
			return err
		}
	}
	return below(secRows, i, uint32(r[rowCurrency]), len(p.currencies))
}

// join checks that prices belong to a catalog, and what leads from one into
// the other.
func join(c *cards, p *prices) (*Snapshot, error) {
	if p.identity != c.identity {
		return nil, snapshot.Damaged(secMeta, "the prices belong to catalog %q, not %q", p.identity, c.identity)
	}
	n, offers := len(c.records)/cardSize, len(c.offers)/offerSize
	if p.revs.Len() != n {
		return nil, snapshot.Damaged(secRevs, "%d for %d cards", p.revs.Len(), n)
	}
	if err := p.checkPairs(secCardRows, p.cardRows, n, len(c.regions)); err != nil {
		return nil, err
	}
	if err := p.checkPairs(secOfferRows, p.offerRows, offers, len(c.regions)); err != nil {
		return nil, err
	}
	return &Snapshot{c, p}, nil
}

// checkPairs checks where the rows of n things are: inside the section, their
// regions known and rising.
func (p *prices) checkPairs(section string, pairs snapshot.U32s, n, regions int) error {
	if pairs.Len() != 2*n {
		return snapshot.Damaged(section, "%d numbers for %d pairs", pairs.Len(), n)
	}
	all := int64(len(p.rows) / rowSize)
	for i := range n {
		first, count := int64(pairs.At(2*i)), int64(pairs.At(2*i+1))
		if first+count > all || count > int64(regions) {
			return snapshot.Damaged(section, "record %d: rows %d to %d of %d", i, first, first+count, all)
		}
		last := -1
		for row := first; row < first+count; row++ {
			region := int(p.rows[row*rowSize+rowRegion])
			if region <= last || region >= regions {
				return snapshot.Damaged(section, "record %d: region %d after %d of %d", i, region, last, regions)
			}
			last = region
		}
	}
	return nil
}

package index

import (
	"cmp"
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
		if c.cardHolds(i, texts, links) {
			continue
		}
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
		list := lists.Slice(uint32(at+1), uint32(at+1)+uint32(length))
		if largest(list) >= int64(limit) {
			for i := range list.Len() {
				if err := below(section, at+1+i, list.At(i), limit); err != nil {
					return nil, err
				}
			}
		}
		at += 1 + list.Len()
	}
	if n == 0 {
		return nil, snapshot.Damaged(section, "no empty list")
	}
	return found, nil
}

// cardHolds is checkCard for the many that are whole: it takes all texts in one
// look and names no culprit.
func (c *cards) cardHolds(i int, texts, links starts) bool {
	r := (*[cardSize]byte)(c.records[i*cardSize:])
	worst := uint32(0)
	for field := cardID; field < cardGenres; field += 4 {
		worst = max(worst, u32(r[:], field))
	}
	lists := true
	for field := cardGenres; field < cardGames; field += 4 {
		lists = lists && texts.has(u32(r[:], field))
	}
	for field := cardGames; field < cardOffers; field += 4 {
		lists = lists && links.has(u32(r[:], field))
	}
	end := int64(u32(r[:], cardOffers)) + int64(u32(r[:], cardOfferCount))
	return lists && int64(worst) < int64(c.strings.Len()) && end <= int64(len(c.offers)/offerSize) &&
		u32(r[:], cardSelf) == uint32(i) && checkKind(i, r[:]) == nil
}

// checkCard tells what is wrong with a card, if anything is.
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

// largest is the largest number of a list, -1 of none.
func largest(list snapshot.U32s) int64 {
	most := int64(-1)
	for i := range list.Len() {
		most = max(most, int64(list.At(i)))
	}
	return most
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
	if len(p.extras) == 0 {
		return snapshot.Damaged(secExtras, "empty")
	}
	for i := range p.ends.Len() {
		if i > 0 && p.ends.At(i-1) >= p.ends.At(i) || p.ends.At(i) > math.MaxInt64 {
			return snapshot.Damaged(secEnds, "record %d is not above the one before", i)
		}
	}
	if err := p.checkPoints(); err != nil {
		return err
	}
	for i := range len(p.extras) / extraSize {
		if err := p.checkExtra(i); err != nil {
			return err
		}
	}
	falls, err := p.checkRows()
	if err != nil {
		return err
	}
	if err := p.checkPairs(secCardRows, p.cardRows, falls); err != nil {
		return err
	}
	return p.checkPairs(secOfferRows, p.offerRows, falls)
}

func (p *prices) checkPoints() error {
	for i := range len(p.points) / pointSize {
		if err := below(secPoints, i, u32(p.points, i*pointSize+pointText), p.words.Len()); err != nil {
			return err
		}
	}
	return nil
}

func (p *prices) checkExtra(i int) error {
	r := p.extras[i*extraSize : (i+1)*extraSize]
	for _, field := range []int{extraLabel, extraEdition, extraSource, extraURL} {
		if err := below(secExtras, i, u32(r, field), p.words.Len()); err != nil {
			return err
		}
	}
	if err := below(secExtras, i, u32(r, extraEnd), p.ends.Len()+1); err != nil {
		return err
	}
	return below(secExtras, i, uint32(r[extraCurrency]), len(p.currencies))
}

// falls marks the rows whose region is not above that of the row before.
type falls []uint64

// in tells whether a row of lo to hi-1 is marked.
func (f falls) in(lo, hi int64) bool {
	for lo < hi {
		n := min(64-lo%64, hi-lo) // in this word
		if f[lo/64]>>(lo%64)<<(64-n) != 0 {
			return true
		}
		lo += n
	}
	return false
}

// checkRows takes the largest number of each kind and looks at it once: there
// are millions of rows, and memory gives them no faster than this loop asks.
// Which row it was is found only if one is wrong.
func (p *prices) checkRows() (falls, error) {
	found := make(falls, 0, len(p.rows)/rowSize/64+1)
	var point, product, extra uint32
	last, most := uint64(255), uint64(0)
	for rows := p.rows; len(rows) >= rowSize; {
		word, free := uint64(0), 64 // bits come in at the top and move down
		for ; free > 0 && len(rows) >= rowSize; free-- {
			r := (*[rowSize]byte)(rows)
			point = max(point, u32(r[:], rowBase), u32(r[:], rowCurrent))
			product = max(product, u32(r[:], rowProduct))
			extra = max(extra, u32(r[:], rowExtra))
			region := uint64(r[rowRegion])
			word = word>>1 | (region-last-1)&(1<<63) // below zero unless it rises
			last, most = region, max(most, region)
			rows = rows[rowSize:]
		}
		found = append(found, word>>free)
	}
	if len(p.rows) > 0 {
		p.regionCount = int(most) + 1
	}
	points, words, extras := len(p.points)/pointSize, p.words.Len(), len(p.extras)/extraSize
	if len(p.rows) == 0 || int64(point) < int64(points) && int64(product) < int64(words) && int64(extra) < int64(extras) {
		return found, nil
	}
	return nil, p.wrongRow()
}

// wrongRow names the first row with a number that leads nowhere.
func (p *prices) wrongRow() error {
	points, words, extras := len(p.points)/pointSize, p.words.Len(), len(p.extras)/extraSize
	for i := range len(p.rows) / rowSize {
		r := p.rows[i*rowSize:]
		if err := cmp.Or(below(secRows, i, max(u32(r, rowBase), u32(r, rowCurrent)), points),
			below(secRows, i, u32(r, rowProduct), words), below(secRows, i, u32(r, rowExtra), extras)); err != nil {
			return err
		}
	}
	return nil
}

// checkPairs checks where the rows of cards or offers are: inside the section,
// their regions rising.
func (p *prices) checkPairs(section string, pairs snapshot.U32s, falls falls) error {
	if pairs.Len()%2 != 0 {
		return snapshot.Damaged(section, "%d numbers are no pairs", pairs.Len())
	}
	all := int64(len(p.rows) / rowSize)
	for i := range pairs.Len() / 2 {
		first, count := int64(pairs.At(2*i)), int64(pairs.At(2*i+1))
		if first+count > all {
			return snapshot.Damaged(section, "record %d: rows %d to %d of %d", i, first, first+count, all)
		}
		if falls.in(first+1, first+count) {
			return snapshot.Damaged(section, "record %d: the regions of rows %d to %d do not rise", i, first, first+count)
		}
	}
	return nil
}

// join checks that prices belong to a catalog, and what leads from one into
// the other.
func join(c *cards, p *prices) (*Snapshot, error) {
	if p.identity != c.identity {
		return nil, snapshot.Damaged(secMeta, "the prices belong to catalog %q, not %q", p.identity, c.identity)
	}
	if err := p.matches(len(c.records)/cardSize, len(c.offers)/offerSize, len(c.regions)); err != nil {
		return nil, err
	}
	return &Snapshot{c, p}, nil
}

// matches is an error unless the prices are those of so many things.
func (p *prices) matches(cards, offers, regions int) error {
	if n := p.revs.Len(); n != cards {
		return snapshot.Damaged(secRevs, "%d for %d cards", n, cards)
	}
	if n := p.cardRows.Len(); n != 2*cards {
		return snapshot.Damaged(secCardRows, "%d numbers for %d pairs", n, cards)
	}
	if n := p.offerRows.Len(); n != 2*offers {
		return snapshot.Damaged(secOfferRows, "%d numbers for %d pairs", n, offers)
	}
	if p.regionCount > regions {
		return snapshot.Damaged(secRows, "a row has region %d of %d", p.regionCount-1, regions)
	}
	return nil
}

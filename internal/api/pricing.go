package api

import (
	"hash/maphash"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// pricing is the work on one bulk request. Its memory is used again, so that
// a request of a thousand ids allocates next to nothing.
type pricing struct {
	sent   *jsonObject
	params bulkParams
	wanted idSet

	view  *index.View
	now   int64
	cards []index.Card // found, in the order asked
	met   numberSet    // their numbers
	lost  []wanted     // not found
	// order are the numbers of the regions asked for, in their order; active
	// ones alone if all are.
	order    []uint8
	isActive [256]bool
	active   []catalog.Region

	warmth uint64 // see index.WarmStep

	shown   []shownRow // of the game in work
	keys    []string   // region keys in the answer, in the order met
	keySeen [3][256]bool
	tagText tag

	marks  marks    // of the answer
	priced calendar // of the times of prices
	frames *frames  // of the snapshot
	spare  frame    // where a frame is written that is not kept
	sku    struct { // the last product id
		number uint32 // 0: none
		text   []byte // as JSON
	}
}

// What is kept of a request's memory for the next: ids of this many, a frame of
// this many bytes.
const (
	keptIDs   = 4 * maxIDs
	keptSpare = 4 << 10
)

func newPricing(seed maphash.Seed) *pricing {
	return &pricing{
		sent:   newJSONObject("ids", "platform", "regions", "include"),
		wanted: idSet{seed: seed},
	}
}

// reset forgets the request, and lets go of what it pointed to.
func (p *pricing) reset() {
	if cap(p.wanted.ids) > keptIDs {
		p.wanted.ids, p.wanted.slots = nil, nil
	}
	p.sent.reset()
	p.wanted.reset()
	p.met.reset()
	sku, spare := p.sku.text[:0], p.spare.text[:0]
	clear(p.cards)
	clear(p.lost)
	clear(p.shown[:cap(p.shown)]) // an earlier game may have had more rows
	*p = pricing{
		sent: p.sent, wanted: p.wanted, met: p.met,
		cards: p.cards[:0], lost: p.lost[:0], order: p.order[:0], active: p.active[:0],
		shown: p.shown[:0], keys: p.keys[:0], tagText: p.tagText[:0],
	}
	p.sku.text = sku
	if cap(spare) <= keptSpare {
		p.spare.text = spare
	}
}

// resolve finds the cards of the ids. Ids that lead to one card give it once,
// where the first of them stood.
func (p *pricing) resolve(v *index.View, f *frames, now int64) {
	p.view, p.frames, p.now = v, f, now
	for i, id := range p.wanted.ids {
		if i%index.WarmStep == 0 {
			p.warmIDs(i)
		}
		c, ok := v.Lookup(p.params.platform, id.key)
		switch {
		case !ok:
			p.lost = append(p.lost, id)
		case p.met.add(uint32(c.Number())):
			p.cards = append(p.cards, c)
		}
	}
	p.orderRegions()
}

// warmIDs has the index fetch what looking up the next ids will read.
func (p *pricing) warmIDs(from int) {
	var keys [index.WarmStep]string
	next := p.wanted.ids[from:min(from+index.WarmStep, len(p.wanted.ids))]
	for i := range next {
		keys[i] = next[i].key
	}
	p.warmth += p.view.WarmIDs(keys[:len(next)])
}

func (p *pricing) orderRegions() {
	if !p.params.regions.all && len(p.params.regions.codes) == 0 {
		for i := range p.view.Active() {
			p.active = append(p.active, p.view.Active()[i].Code)
		}
		p.params.regions.codes = p.active
	}
	if p.params.regions.all {
		for i := range p.view.Active() {
			no := p.view.Active()[i].No
			p.order, p.isActive[no] = append(p.order, no), true
		}
		return
	}
	for _, code := range p.params.regions.codes {
		if no, ok := p.view.RegionNo(code); ok {
			p.order = append(p.order, no)
		}
	}
}

// shownRow is a row as the answer shows it.
type shownRow struct {
	index.Row
	cents  int64 // in US cents, if hasUSD
	hasUSD bool
}

// show gathers the rows of a game in answer order: as asked; for all, the
// active regions and then the others alphabetically.
func (p *pricing) show(rows index.Rows) {
	p.shown = p.shown[:0]
	for _, no := range p.order {
		if i, ok := rows.Find(no); ok {
			p.add(rows, i)
		}
	}
	if !p.params.regions.all {
		return
	}
	for i := range rows.Len() {
		if !p.isActive[rows.Region(i)] {
			p.add(rows, i)
		}
	}
}

// add shows row i.
func (p *pricing) add(rows index.Rows, i int) {
	n := len(p.shown)
	p.shown = slices.Grow(p.shown, 1)[:n+1]
	p.shown[n].read(p, rows, i)
}

// read fills in row i as it is now.
func (s *shownRow) read(p *pricing, rows index.Rows, i int) {
	rows.Read(i, &s.Row)
	s.Pass(p.now)
	s.cents, s.hasUSD = p.view.USD(&s.Row)
}

// cheapest gives the place of the row with the lowest price in dollars, -1 if
// there is none. Trials never count; prices that not everybody can pay, or
// that are in doubt, only where no other has a value; ties go to the first.
func (p *pricing) cheapest() int {
	best, spare := -1, -1
	for i := range p.shown {
		s := &p.shown[i]
		if !s.hasUSD || s.Trial {
			continue
		}
		at := &best
		if s.Subscription || s.Doubtful {
			at = &spare
		}
		if *at < 0 || s.cents < p.shown[*at].cents {
			*at = i
		}
	}
	if best < 0 {
		return spare
	}
	return best
}

// freshest is the newest time of a price: of the rows shown, of all rows of
// the game if none is.
func (p *pricing) freshest(rows index.Rows) int64 {
	var newest int64
	for i := range p.shown {
		newest = max(newest, p.shown[i].PricedAt)
	}
	if len(p.shown) > 0 {
		return newest
	}
	for i := range rows.Len() {
		newest = max(newest, rows.At(i).PricedAt)
	}
	return newest
}

// meet notes that a region stands in the answer under its platform's key.
func (p *pricing) meet(platform catalog.Platform, no uint8) {
	if !p.keySeen[platform][no] {
		p.keySeen[platform][no] = true
		p.keys = append(p.keys, p.view.Region(no).Key(platform))
	}
}

// tag covers everything in data: parameters, what was found and what was not,
// the rates, and the discounts that have ended.
func (p *pricing) tag(rq *request) tag {
	t := rq.newTag(p.tagText).text(p.platformName()).flag(p.params.regions.all)
	for _, r := range p.params.regions.codes {
		t = t.text(r.String())
	}
	t = t.texts(p.params.include.names).number(uint64(len(p.wanted.ids)))
	t = t.number(p.view.Rates.Hash()).number(uint64(p.view.PassedEnds(p.now)))
	for _, c := range p.cards {
		t = t.text(c.ID()).number(c.Rev())
	}
	for _, id := range p.lost {
		t = t.text(id.sent).texts(p.view.Moved(id.key))
	}
	p.tagText = t[:0]
	return t
}

// numberSet is a set of card numbers.
type numberSet struct {
	slots []uint32 // open addressing; number + 1
	n     int
}

func (s *numberSet) reset() {
	clear(s.slots)
	s.n = 0
}

// add reports whether n is new.
func (s *numberSet) add(n uint32) bool {
	if 2*s.n >= len(s.slots) {
		s.grow()
	}
	slot := s.find(n + 1)
	if s.slots[slot] != 0 {
		return false
	}
	s.slots[slot] = n + 1
	s.n++
	return true
}

func (s *numberSet) find(entry uint32) int {
	mask := len(s.slots) - 1
	slot := int(entry*2654435769>>8) & mask // spreads neighbours apart
	for s.slots[slot] != 0 && s.slots[slot] != entry {
		slot = (slot + 1) & mask
	}
	return slot
}

func (s *numberSet) grow() {
	old := s.slots
	s.slots = make([]uint32, max(256, 2*len(old)))
	for _, entry := range old {
		if entry != 0 {
			s.slots[s.find(entry)] = entry
		}
	}
}

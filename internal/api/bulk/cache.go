package bulk

import (
	"hash/maphash"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"gamedex/internal/api/deflate"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// Cache keeps the encoded items of games that are often asked for. An item is found by the
// rev of its card and all else that it depends on, so it outlives publications that do not
// change the card, and is never wrong. A nil Cache keeps nothing. It is safe for concurrent
// use; finding an item takes no lock.
type Cache struct {
	seed  maphash.Seed
	slots []atomic.Pointer[item] // a key has two neighbours; their number is a power of two
	shift int                    // of a hash, to the number of its pair of slots

	hits, misses atomic.Int64
	// asked has, at the hash of a key, the number of misses before the last one of such a key.
	asked []atomic.Uint32

	mu       sync.Mutex
	segments []*segment // a ring
	current  int        // the segment to which items are added; the oldest one follows it
}

// item is an encoded item up to its requestedIds. Nobody changes it.
type item struct {
	key         uint64
	from, until int64     // Unix milliseconds: when it is valid; a discount ends then
	regions     regionSet // that it shows
	text        []byte
	hints       []deflate.Hint // offsets in text
	// card is the card that was last seen to have the id in the text, see cardOf.
	card atomic.Uint64
}

// cardOf returns a number that each card of each opened catalog has for itself.
func cardOf(c index.Card, catalog uint64) uint64 { return catalog<<32 | uint64(c.Number()) }

// segment is the memory of items that were added one after the other.
type segment struct {
	items []item
	text  []byte
	hints []deflate.Hint
}

const (
	segmentItems = 256
	segmentText  = 160 << 10
	segmentHints = 8 << 10
	segmentSize  = segmentText + segmentHints*int64(unsafe.Sizeof(deflate.Hint{})) + segmentItems*int64(unsafe.Sizeof(item{}))

	usualItems = 64 // of a segment
	askedBits  = 2  // there are 1<<askedBits times as many entries of asked as pairs of slots

	// maxItem is the longest text that is kept: one more fits a chunk of the answer.
	maxItem = 32 << 10
	// Of the items that admits allows, only every fourth is kept, so that most of the cache stays if
	// clients ask for slightly more games than fit.
	keepEvery = 4
)

// NewCache returns a cache of at most size bytes; nil if that is too few for any item.
func NewCache(size int64) *Cache {
	n := int(size / (segmentSize + segmentItems*(2*8+4<<askedBits)))
	if n < 2 {
		return nil
	}
	log := bits.Len(uint(n*segmentItems - 1))
	return &Cache{
		seed: maphash.MakeSeed(), slots: make([]atomic.Pointer[item], 2<<log), asked: make([]atomic.Uint32, 1<<(log+askedBits)), shift: 64 - log,
		segments: make([]*segment, n),
	}
}

// Counts returns how many items were found, and how many were not.
func (c *Cache) Counts() (hits, misses int64) {
	if c == nil {
		return 0, 0
	}
	return c.hits.Load(), c.misses.Load()
}

// regionSet is a set of the numbers of regions.
type regionSet [4]uint64

func (s *regionSet) add(no uint8) { s[no>>6] |= 1 << (no & 63) }

func (s *regionSet) has(no uint8) bool { return s[no>>6]>>(no&63)&1 != 0 }

// contains reports whether all numbers of o are in s.
func (s *regionSet) contains(o *regionSet) bool {
	return o[0]&^s[0]|o[1]&^s[1]|o[2]&^s[2]|o[3]&^s[3] == 0
}

// form returns a hash of all that an item of the answer depends on besides its card, the time and
// the ids that were sent.
func (c *Cache) form(a *Answer) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	type values struct {
		rates    uint64
		view     uint64 // with lows, which revs do not cover
		blocks   Block
		all      bool
		currency money.Currency
		language catalog.Language
	}
	v := values{rates: a.View.Rates.Hash(), blocks: a.include.Blocks, all: a.Regions.All, language: a.lang}
	if a.include.Has(Lows) {
		v.view = a.View.ID
	}
	if a.conversion != nil {
		v.currency = a.conversion.To
	}
	maphash.WriteComparable(&h, v)
	_, _ = h.Write(a.RegionNumbers())
	for _, r := range a.View.RegionTable() {
		_, _ = h.WriteString(r.Alpha2)
	}
	return h.Sum64()
}

// find stores in found the items of up to index.PrefetchStep cards of a form that are valid at
// now, and nil for the others. catalog is the number of the cards' catalog. As in package index,
// each loop reads from many addresses at once, and the sum has no meaning.
func (c *Cache) find(cards []index.Card, catalog, form uint64, now int64, found *[index.PrefetchStep]*item) (sum uint64) {
	var keys [index.PrefetchStep]uint64
	var second [index.PrefetchStep]*item
	cards = cards[:min(len(cards), index.PrefetchStep)]
	for i, card := range cards {
		keys[i] = card.Rev() ^ form
	}
	for i := range cards {
		pair := c.pair(keys[i])
		found[i], second[i] = pair[0].Load(), pair[1].Load()
	}
	for i := range cards {
		if found[i] == nil || found[i].key != keys[i] {
			found[i] = second[i]
		}
		if it := found[i]; it != nil && (it.key != keys[i] || now < it.from || now >= it.until) {
			found[i] = nil
		}
	}
	for i := range cards {
		if found[i] != nil {
			sum += uint64(found[i].text[0])
		} else {
			sum += uint64(c.lastAsked(keys[i]).Load())
		}
	}
	// Revs detect changes of one card; somebody could make those of two cards equal.
	hits := 0
	for i, card := range cards {
		if found[i] == nil {
			continue
		}
		if found[i].card.Load() == cardOf(card, catalog) {
			hits++
			continue
		}
		if text, id := found[i].text[len(itemOpening)+1:], card.ID(); len(text) < len(id) || string(text[:len(id)]) != id {
			found[i] = nil
			continue
		}
		found[i].card.Store(cardOf(card, catalog))
		hits++
	}
	c.hits.Add(int64(hits))
	c.misses.Add(int64(len(cards) - hits))
	return sum
}

func (c *Cache) lastAsked(key uint64) *atomic.Uint32 {
	return &c.asked[key*spread>>(c.shift-askedBits)]
}

// spread multiplies keys, so that their highest bits depend on all.
const spread = 0x9e3779b97f4a7c15

// pair returns the slots of a key.
func (c *Cache) pair(key uint64) []atomic.Pointer[item] {
	at := key * spread >> c.shift << 1
	return c.slots[at : at+2 : at+2]
}

// admits reports whether an item that was not found was probably asked for before, among the last
// misses, half as many as items fit. Keeping an item costs more than encoding it, and items that are
// asked for seldom would displace others.
func (c *Cache) admits(key uint64) bool {
	misses := uint32(c.misses.Load())
	last := c.lastAsked(key)
	before := last.Load()
	last.Store(misses)
	return misses-before < uint32(len(c.segments)*usualItems/2)
}

// add keeps an item, whose text and hints it copies. The offsets of the hints count from start. It
// does nothing while another item is added.
func (c *Cache) add(it *item, start int) {
	if len(it.text) > maxItem || len(it.hints) > segmentHints || !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	s := c.room(it)
	text, hints := len(s.text), len(s.hints)
	s.text = append(s.text, it.text...)
	for _, h := range it.hints {
		h.At -= int32(start)
		s.hints = append(s.hints, h)
	}
	s.items = s.items[:len(s.items)+1]
	kept := &s.items[len(s.items)-1]
	kept.key, kept.from, kept.until, kept.regions = it.key, it.from, it.until, it.regions
	kept.text, kept.hints = s.text[text:len(s.text):len(s.text)], s.hints[hints:len(s.hints):len(s.hints)]
	pair := c.pair(it.key)
	slot := &pair[0]
	if first := slot.Load(); first != nil && first.key != it.key {
		slot = &pair[1]
	}
	slot.Store(kept)
}

// room returns a segment with room for an item. It drops the items of the oldest segment if there
// is none.
func (c *Cache) room(it *item) *segment {
	if s := c.segments[c.current]; s != nil && len(s.items) < cap(s.items) && len(s.text)+len(it.text) <= cap(s.text) && len(s.hints)+len(it.hints) <= cap(s.hints) {
		return s
	}
	c.current = (c.current + 1) % len(c.segments)
	if oldest := c.segments[c.current]; oldest != nil {
		for i := range oldest.items {
			old := &oldest.items[i]
			pair := c.pair(old.key)
			_ = pair[0].CompareAndSwap(old, nil) || pair[1].CompareAndSwap(old, nil)
		}
	}
	// Answers may still read the oldest segment, so its memory is not used again.
	s := &segment{make([]item, 0, segmentItems), make([]byte, 0, segmentText), make([]deflate.Hint, 0, segmentHints)}
	c.segments[c.current] = s
	return s
}

// forever is the end of an item that no discount ends.
const forever = math.MaxInt64

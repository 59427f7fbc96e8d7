package layout

import (
	"math/bits"
	"net/url"
	"slices"
	"strings"

	"gamedex/internal/snapshot"
)

// HashTable maps keys to cards. It has a power of two of slots, at least half
// of them free. A used slot holds the hash of a key (high 32 bits) and a card
// number plus one. The keys are not stored: callers compare the key with the
// cards that they find. A key may have several cards.
//
// With a Go map of ids instead, a bulk request of 1,000 ids over 100,000 cards
// takes 1.12 times as long, and opening a snapshot, which makes the map, 1.5
// times; with a binary search over sorted ids the request takes 2.1 times as
// long.
type HashTable struct{ slots snapshot.U64s }

// OpenHashTable reads and checks a table: its shape, a free slot, and no card
// above the last.
func OpenHashTable(f *snapshot.File, section string, cards int) (HashTable, error) {
	slots, err := f.U64s(section)
	if err != nil {
		return HashTable{}, err
	}
	return HashTable{slots}, HashTable{slots}.check(section, cards)
}

// Find starts a walk over the cards that have a key, ASCII letters in any case.
func (t HashTable) Find(key string) Walk { return t.FindHash(HashKey(key)) }

// FindHash is Find for a key with this hash, see [HashKey].
func (t HashTable) FindHash(hash uint32) Walk { return Walk{t.slots, hash, int(hash)} }

// FirstSlot returns the slot at which the walk of a hash begins.
func (t HashTable) FirstSlot(hash uint32) uint64 { return t.slots.At(int(hash) & (t.slots.Len() - 1)) }

// Walk yields the cards of one hash, in the order of their numbers.
type Walk struct {
	slots snapshot.U64s
	hash  uint32
	at    int
}

// Next returns the next card, false after the last. It ends because open
// tables have a free slot.
func (w *Walk) Next() (card uint32, ok bool) {
	mask := w.slots.Len() - 1
	for {
		slot := w.slots.At(w.at & mask)
		if slot == 0 {
			return 0, false
		}
		w.at++
		if uint32(slot>>32) == w.hash {
			return uint32(slot) - 1, true
		}
	}
}

// Shared returns the cards of each hash that several have, in the order of their numbers.
func (t HashTable) Shared() (lists [][]uint32) {
	used := make([]uint64, 0, t.slots.Len()/2)
	for i := range t.slots.Len() {
		if slot := t.slots.At(i); slot != 0 {
			used = append(used, slot)
		}
	}
	slices.Sort(used)
	for len(used) > 0 {
		n := 1
		for n < len(used) && used[n]>>32 == used[0]>>32 {
			n++
		}
		if n > 1 {
			list := make([]uint32, n)
			for i, slot := range used[:n] {
				list[i] = uint32(slot) - 1
			}
			lists = append(lists, list)
		}
		used = used[n:]
	}
	return lists
}

// check looks for wrong cards only at the end: a table has many slots, and this
// loop has no branches.
func (t HashTable) check(section string, cards int) error {
	n := t.slots.Len()
	if bits.OnesCount(uint(n)) != 1 {
		return snapshot.Damaged(section, "%d slots are not a power of two", n)
	}
	free, last := 0, uint32(0)
	for i := range n {
		slot := t.slots.At(i)
		card := uint32(slot) - 1
		if slot == 0 {
			free, card = free+1, 0
		}
		last = max(last, card)
	}
	if free < n && int64(last) >= int64(cards) {
		return snapshot.Damaged(section, "a slot has card %d of %d", last, cards)
	}
	if free == 0 {
		return snapshot.Damaged(section, "no slot is free")
	}
	return nil
}

// HashTableWriter collects the keys of a table. Its zero value is empty.
type HashTableWriter struct{ used []uint64 }

// Add adds a card under a key.
func (w *HashTableWriter) Add(key string, card uint32) { w.add(HashKey(key), card) }

func (w *HashTableWriter) add(hash, card uint32) {
	w.used = append(w.used, uint64(hash)<<32|uint64(card+1))
}

// Bytes returns the table. Slots are placed in the order of their home, the
// slot at which their walk begins, so that each lands directly behind the last
// or at its home: a key of a hundred thousand cards costs one step for each.
func (w *HashTableWriter) Bytes() []byte {
	size := 2
	for size < 2*len(w.used) {
		size *= 2
	}
	home := bits.Len(uint(size)) - 1 // low bits of the hash
	for i, slot := range w.used {
		w.used[i] = rotateHash(slot, -home)
	}
	slices.Sort(w.used)
	table, next := make([]uint64, size), 0
	for _, rotated := range slices.Compact(w.used) {
		slot := rotateHash(rotated, home)
		next = max(next, int(slot>>32)&(size-1))
		for table[next&(size-1)] != 0 { // only behind the table's end
			next++
		}
		table[next&(size-1)] = slot
		next++
	}
	return snapshot.AppendU64(make([]byte, 0, 8*size), table...)
}

// rotateHash rotates the hash of a slot to the left.
func rotateHash(slot uint64, by int) uint64 {
	return uint64(bits.RotateLeft32(uint32(slot>>32), by))<<32 | uint64(uint32(slot))
}

// HashKey is FNV-1a over a key with ASCII letters in lower case.
func HashKey(key string) uint32 {
	h := uint32(2166136261)
	for i := range len(key) {
		c := key[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// The placeholders for product id and slug in the link patterns of a prices
// blob. No link has control characters.
const ProductPlaceholder, SlugPlaceholder = "\x01", "\x02"

// AppendURL appends the link that a pattern makes of product id and slug.
func AppendURL(dst []byte, pattern, product, slug string) []byte {
	for i := range len(pattern) {
		switch c := pattern[i]; c {
		case ProductPlaceholder[0]:
			dst = append(dst, product...)
		case SlugPlaceholder[0]:
			dst = append(dst, slug...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// LinkSeparators separate the parts of a store link.
const LinkSeparators = "/?&=#"

// LinkParts yields the parts of a store link. A link is found by the product id
// or slug among them; the hash table of keys has only links without either.
func LinkParts(link string) func(yield func(string) bool) {
	return strings.FieldsFuncSeq(link, func(r rune) bool {
		return strings.ContainsRune(LinkSeparators, r)
	})
}

// CutHost returns the host of a link in lower case and without a port, and its path without percent
// escapes. The scheme may be missing. The host is "" for what is no link to a web page, and for a link
// with a user, behind whom the host would follow ("store.example:x@evil.example").
func CutHost(link string) (host, path string) {
	if scheme, _, found := strings.Cut(link, "://"); !found || strings.Contains(scheme, "/") {
		link = "https://" + strings.TrimPrefix(link, "//")
	}
	u, err := url.Parse(link)
	if err != nil || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return "", ""
	}
	// strings.ToLower makes Latin letters of others, such as İ, which are other hosts.
	lower := func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return strings.Map(lower, u.Hostname()), u.Path
}

// BareTitleID removes the "_00" that some sources append to a title id.
func BareTitleID(id string) string { return strings.TrimSuffix(id, "_00") }

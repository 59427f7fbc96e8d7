package selection

import (
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// Lists keeps lists of ids that were sent more than once, with the cards that they name: clients
// send the same list again and again. A nil Lists keeps nothing. It is safe for concurrent
// use.
type Lists struct {
	seed  maphash.Seed
	lists []atomic.Pointer[List] // groups of at most listWays; the hash of a text says in which group it is
	asked [1 << 14]atomic.Uint64 // by the same hash: the hash of the list that was last not there
}

// listWays is how many lists with the same hash are kept side by side.
const listWays = 8

// MaxListBody is the size of the longest body whose list is kept, and listSize the most bytes that a list
// of a thousand ids in it takes.
const (
	MaxListBody = 32 << 10
	listSize    = 4 * MaxListBody
)

// NewLists returns Lists of at most size bytes; nil if that is too few for a list.
func NewLists(size int64) *Lists {
	if size < listSize {
		return nil
	}
	return &Lists{seed: maphash.MakeSeed(), lists: make([]atomic.Pointer[List], size/listSize)}
}

// List is a list of ids as it was sent. Nobody changes it.
type List struct {
	IDs       []ID
	Spellings []Spelling

	text  string // a JSON array
	found atomic.Pointer[found]
}

// found is what a list names in a catalog.
type found struct {
	catalog   uint64 // see [index.Snapshot.CatalogNumber]
	platform  catalog.Platform
	cards     []uint32 // numbers
	positions []int32
	lost      int
	asIDs     bool // every card that was found was sent as its id
}

// Find returns the list with a text; nil if it is not kept.
func (l *Lists) Find(text string) *List {
	if l == nil {
		return nil
	}
	return l.find(text, maphash.String(l.seed, text))
}

func (l *Lists) find(text string, hash uint64) *List {
	group := l.group(hash)
	for i := range group {
		if list := group[i].Load(); list != nil && list.text == text {
			return list
		}
	}
	return nil
}

// group returns the places where a list with a hash may be.
func (l *Lists) group(hash uint64) []atomic.Pointer[List] {
	groups := (len(l.lists) + listWays - 1) / listWays
	first := int(hash%uint64(groups)) * listWays
	return l.lists[first:min(first+listWays, len(l.lists))]
}

// Keep returns a list to be found by its text from now on; nil if the text was not
// sent lately.
func (l *Lists) Keep(text string, ids []ID, spellings []Spelling) *List {
	if l == nil {
		return nil
	}
	hash := maphash.String(l.seed, text)
	list := l.find(text, hash)
	if list != nil || l.asked[hash%uint64(len(l.asked))].Swap(hash) != hash {
		return list
	}
	list = &List{IDs: slices.Clone(ids), Spellings: slices.Clone(spellings), text: text}
	group := l.group(hash)
	for i := range group {
		if group[i].CompareAndSwap(nil, list) {
			return list
		}
	}
	group[rand.IntN(len(group))].Store(list)
	return list
}

// recall selects the cards that the list named last. It returns false if that was in another catalog
// or on another platform.
func (s *Selection) recall() bool {
	if s.List == nil {
		return false
	}
	f := s.List.found.Load()
	if f == nil || f.catalog != s.View.CatalogNumber() || f.platform != s.Platform {
		return false
	}
	for _, n := range f.cards {
		s.Cards = append(s.Cards, s.View.Card(int(n)))
	}
	s.positions, s.lost, s.asIDs, s.recalled = append(s.positions, f.positions...), f.lost, f.asIDs, true
	return true
}

// remember stores what the list names.
func (s *Selection) remember() {
	if s.List == nil {
		return
	}
	f := &found{catalog: s.View.CatalogNumber(), platform: s.Platform, positions: slices.Clone(s.positions), lost: s.lost}
	for _, c := range s.Cards {
		f.cards = append(f.cards, uint32(c.Number()))
	}
	f.asIDs = sentAsIDs(s.Spellings, s.positions, s.Cards)
	s.List.found.Store(f)
}

// sentAsIDs reports whether every card that was found was sent as its id alone.
func sentAsIDs(sent []Spelling, positions []int32, cards []index.Card) bool {
	return !slices.ContainsFunc(sent, func(t Spelling) bool {
		position := positions[t.ID]
		return position != notFound && cards[position].ID() != t.Text
	})
}

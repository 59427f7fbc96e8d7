package index

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/index/cardset"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/snapshot"
)

// Columns are the values by which lists of cards are filtered, counted and sorted.
type Columns struct {
	Genres, Publishers, Devices Terms
	// Platforms and Types are the cards of each store and type that a card has.
	Platforms map[catalog.Platform]cardset.Set
	Types     map[catalog.Type]cardset.Set
	// SortTitles are the titles in lower case, by card number.
	SortTitles []string
	// Released are the release dates, by card number: 20261120 for 2026-11-20; 0 if
	// the card has none.
	Released []int32
	// ByID has the numbers of all cards in the order of their ids, then their stores.
	ByID []uint32
	// Ranks are the positions of the cards in the order of their stores, then their ids,
	// by card number.
	Ranks []uint32
}

// Columns returns the columns of the snapshot's cards. The first call computes them.
func (s *Snapshot) Columns() *Columns {
	return s.catalog.columns.get(func() Columns { return newColumns(s.catalog) })
}

func newColumns(c *Catalog) Columns {
	s := &Snapshot{catalog: c}
	publisher := func(c Card) List {
		return List{s.catalog.Strings, snapshot.U32s(c.record()[layout.CardPublisher : layout.CardPublisher+4])}
	}
	columns := Columns{
		Genres: newTerms(s, Card.Genres), Devices: newTerms(s, Card.Platforms), Publishers: newTerms(s, publisher),
		Platforms: cardsBy(s, Card.Platform), Types: cardsBy(s, Card.Type),
		SortTitles: make([]string, c.Len()), Released: make([]int32, c.Len()),
		ByID: make([]uint32, c.Len()), Ranks: make([]uint32, c.Len()),
	}
	ids := make([]string, c.Len())
	for n := range c.Len() {
		card := s.Card(n)
		ids[n], columns.SortTitles[n] = card.ID(), strings.ToLower(card.Title())
		if date, err := time.Parse(time.DateOnly, card.ReleaseDate()); err == nil {
			columns.Released[n] = DateNumber(date)
		}
		columns.ByID[n] = uint32(n)
	}
	slices.SortFunc(columns.ByID, func(a, b uint32) int {
		return cmp.Or(strings.Compare(ids[a], ids[b]), cmp.Compare(s.Card(int(a)).Platform(), s.Card(int(b)).Platform()))
	})
	rank := uint32(0)
	for _, p := range catalog.Platforms() {
		for _, n := range columns.ByID {
			if s.Card(int(n)).Platform() == p {
				columns.Ranks[n] = rank
				rank++
			}
		}
	}
	return columns
}

// DateNumber returns the number of a date as in Columns.Released.
func DateNumber(t time.Time) int32 {
	return int32(t.Year()*10000 + int(t.Month())*100 + t.Day())
}

// cardsBy returns the cards of each value that a card has.
func cardsBy[V comparable](s *Snapshot, value func(Card) V) map[V]cardset.Set {
	lists := map[V][]uint32{}
	for n := range s.Len() {
		v := value(s.Card(n))
		lists[v] = append(lists[v], uint32(n))
	}
	sets := make(map[V]cardset.Set, len(lists))
	for v, list := range lists {
		sets[v] = cardset.Of(list, s.Len())
	}
	return sets
}

// Terms are the different values of one field of all cards, numbered from 0. Values that
// differ only by case are one, spelled as on the first card that has it.
type Terms struct {
	Values  []string          // by number
	Cards   []cardset.Set     // by number: those that have the value
	numbers map[string]uint32 // lower case → number
}

// Find returns the number of a value, in any case.
func (t *Terms) Find(value string) (number uint32, ok bool) {
	number, ok = t.numbers[strings.ToLower(value)]
	return number, ok
}

// newTerms reads the values that each card has in a list.
func newTerms(s *Snapshot, list func(Card) List) Terms {
	t := Terms{numbers: map[string]uint32{}}
	known := map[uint32]uint32{} // number of a text → number of its value
	var lists [][]uint32         // by number of the value
	for n := range uint32(s.Len()) {
		texts := list(s.Card(int(n)))
		for i := range texts.Len() {
			text := texts.numbers.At(i)
			number, ok := known[text]
			if !ok {
				if texts.At(i) == "" {
					continue
				}
				number = t.number(texts.At(i))
				known[text] = number
			}
			if int(number) == len(lists) {
				lists = append(lists, nil)
			}
			if cards := lists[number]; len(cards) == 0 || cards[len(cards)-1] != n {
				lists[number] = append(cards, n)
			}
		}
	}
	for _, cards := range lists {
		t.Cards = append(t.Cards, cardset.Of(slices.Clip(cards), s.Len()))
	}
	return t
}

// number returns the number of a value, a new one if none equals it.
func (t *Terms) number(value string) uint32 {
	lower := strings.ToLower(value)
	number, known := t.numbers[lower]
	if !known {
		number = uint32(len(t.Values))
		t.numbers[lower] = number
		t.Values = append(t.Values, value)
	}
	return number
}

// lazy is a value that is computed when it is first needed.
type lazy[T any] struct {
	once  sync.Once
	made  atomic.Bool
	value T
}

func (l *lazy[T]) get(make func() T) *T {
	l.once.Do(func() {
		l.value = make()
		l.made.Store(true)
	})
	return &l.value
}

// PrepareLike computes the columns, games, hosts and discounts that requests have used of old, the
// previous snapshot, so that the first requests for this one do not wait.
func (s *Snapshot) PrepareLike(old *Snapshot) {
	if old.catalog.columns.made.Load() {
		s.Columns()
	}
	if old.catalog.games.made.Load() {
		s.Games()
	}
	if old.catalog.hosts.made.Load() {
		s.hosts()
	}
	for _, code := range old.PreparedRegions() {
		if no, known := s.RegionNo(code); known {
			s.Discounts(no)
		}
	}
}

// PreparedRegions returns the regions whose discounts have been computed.
func (s *Snapshot) PreparedRegions() (list []catalog.Region) {
	for i := range s.catalog.regions {
		if r := &s.catalog.regions[i]; s.discounts[r.No].made.Load() {
			list = append(list, r.Code)
		}
	}
	return list
}

package index

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/snapshot"
)

// Columns are the values by which lists of cards are filtered, counted and sorted.
type Columns struct {
	Genres, Publishers, Devices Terms
	// Platforms and Types are the stores and types, by card number.
	Platforms []catalog.Platform
	Types     []catalog.Type
	// SortTitles are the titles in lower case, by card number.
	SortTitles []string
	// Released are the release dates, by card number: 20261120 for 2026-11-20; 0 if
	// the card has none.
	Released []int32
	// ByID has the numbers of all cards in the order of their ids, then their stores.
	ByID []uint32
	// Ranks are the places of the cards in the order of their stores, then their ids, by
	// card number.
	Ranks []uint32
}

// Columns returns the columns of the snapshot's cards. The first call makes them.
func (s *Snapshot) Columns() *Columns { return s.catalog.columns() }

func newColumns(c *Catalog) *Columns {
	s := &Snapshot{catalog: c}
	publisher := func(c Card) List {
		return List{s.catalog.strings, snapshot.U32s(c.record()[layout.CardPublisher : layout.CardPublisher+4])}
	}
	columns := &Columns{
		Genres: newTerms(s, Card.Genres), Devices: newTerms(s, Card.Platforms), Publishers: newTerms(s, publisher),
		Platforms: make([]catalog.Platform, c.len()), Types: make([]catalog.Type, c.len()),
		SortTitles: make([]string, c.len()), Released: make([]int32, c.len()),
		ByID: make([]uint32, c.len()), Ranks: make([]uint32, c.len()),
	}
	for n := range c.len() {
		card := s.Card(n)
		columns.Platforms[n], columns.Types[n] = card.Platform(), card.Type()
		columns.SortTitles[n] = strings.ToLower(card.Title())
		if date, err := time.Parse(time.DateOnly, card.ReleaseDate()); err == nil {
			columns.Released[n] = DateNumber(date)
		}
		columns.ByID[n] = uint32(n)
	}
	slices.SortFunc(columns.ByID, func(a, b uint32) int {
		x, y := s.Card(int(a)), s.Card(int(b))
		return cmp.Or(strings.Compare(x.ID(), y.ID()), cmp.Compare(x.Platform(), y.Platform()))
	})
	rank := uint32(0)
	for _, p := range catalog.Platforms() {
		for _, n := range columns.ByID {
			if columns.Platforms[n] == p {
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

// Terms are the different values of one field of all cards, numbered from 0. Values that
// differ only by case are one, spelled as on the first card that has it.
type Terms struct {
	Values  []string          // by number
	numbers map[string]uint32 // lower case → number
	ends    []uint32          // card → where its numbers end
	lists   []uint32          // the numbers of all cards, one card after the other
}

// Find returns the number of a value, in any case.
func (t *Terms) Find(value string) (number uint32, ok bool) {
	number, ok = t.numbers[strings.ToLower(value)]
	return number, ok
}

// Of returns the numbers of a card's values, each once.
func (t *Terms) Of(c Card) []uint32 {
	first := uint32(0)
	if c.n > 0 {
		first = t.ends[c.n-1]
	}
	return t.lists[first:t.ends[c.n]]
}

// newTerms reads the values that each card has in a list.
func newTerms(s *Snapshot, list func(Card) List) Terms {
	t := Terms{numbers: map[string]uint32{}, ends: make([]uint32, s.Len())}
	known := map[uint32]uint32{} // number of a text → number of its value
	for n := range t.ends {
		texts, first := list(s.Card(n)), len(t.lists)
		for i := range texts.Len() {
			text := texts.numbers.At(i)
			number, ok := known[text]
			if !ok && texts.At(i) != "" {
				number, ok = t.number(texts.At(i)), true
				known[text] = number
			}
			if ok && !slices.Contains(t.lists[first:], number) {
				t.lists = append(t.lists, number)
			}
		}
		t.ends[n] = uint32(len(t.lists))
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

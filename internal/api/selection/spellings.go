package selection

import (
	"slices"

	"gamedex/internal/api/wire"
	"gamedex/internal/index"
)

// spellings are the texts by which a request named each card, as lists through
// the spellings of the request. They are empty if each card was named by its id.
type spellings struct {
	first []int32 // card → 1 + number of its first spelling; 0: all are its id
	next  []int32 // spelling → 1 + number of the next one of its card; 0: none
}

const keptSpellings = 4000 // the memory of more is not kept

func (s spellings) emptied() spellings {
	if cap(s.next) > keptSpellings {
		return spellings{}
	}
	return spellings{s.first[:0], s.next[:0]}
}

// collect reads the spellings of a request, whose ids have these positions among the
// cards.
func (s *spellings) collect(sent []Spelling, positions []int32, cards []index.Card) {
	if !slices.ContainsFunc(sent, func(t Spelling) bool {
		position := positions[t.ID]
		return position != notFound && cards[position].ID() != t.Text
	}) {
		return
	}
	s.first = slices.Grow(s.first, len(cards))[:len(cards)]
	s.next = slices.Grow(s.next, len(sent))[:len(sent)]
	clear(s.first)
	for i := len(sent) - 1; i >= 0; i-- {
		if position := positions[sent[i].ID]; position != notFound {
			s.next[i], s.first[position] = s.first[position], int32(i+1)
		}
	}
	for position, i := range s.first {
		if s.next[i-1] == 0 && sent[i-1].Text == cards[position].ID() {
			s.first[position] = 0
		}
	}
}

// AppendRequestedIDs appends requestedIds of the card at a position of Cards, unless
// its own id is all that was sent.
func (s *Selection) AppendRequestedIDs(dst []byte, position int) []byte {
	if len(s.spellings.first) == 0 || s.spellings.first[position] == 0 {
		return dst
	}
	opening := `,"requestedIds":[`
	for i := s.spellings.first[position]; i != 0; i = s.spellings.next[i-1] {
		dst = wire.AppendString(append(dst, opening...), s.Spellings[i-1].Text)
		opening = `,`
	}
	return append(dst, ']')
}

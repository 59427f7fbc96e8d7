package index

import "gamedex/internal/snapshot"

// List is a list of texts inside a snapshot.
type List struct {
	strings snapshot.Strings
	numbers snapshot.U32s
}

// Len returns the number of texts.
func (l List) Len() int { return l.numbers.Len() }

// At returns text i.
func (l List) At(i int) string { return l.strings.At(l.numbers.At(i)) }

// Cards is a list of served cards.
type Cards struct {
	s    *Snapshot
	a, b snapshot.U32s // one after the other
	skip int           // place in both together that is left out; -1: none
}

// cardsWithout joins two lists of card numbers without card n. It searches
// linearly: families are short, and lists of members are not sorted.
func cardsWithout(n uint32, s *Snapshot, a, b snapshot.U32s) Cards {
	list := Cards{s, a, b, -1}
	for i := range list.Len() {
		if list.At(i).n == n {
			list.skip = i
			break
		}
	}
	return list
}

// Len returns the number of cards.
func (l Cards) Len() int {
	n := l.a.Len() + l.b.Len()
	if l.skip >= 0 {
		n--
	}
	return n
}

// At returns card i.
func (l Cards) At(i int) Card {
	if l.skip >= 0 && i >= l.skip {
		i++
	}
	if i < l.a.Len() {
		return Card{l.s, l.a.At(i)}
	}
	return Card{l.s, l.b.At(i - l.a.Len())}
}

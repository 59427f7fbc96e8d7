package index

import (
	"cmp"
	"iter"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/search/spelling"
)

// Games says which cards are the same game (contract, section 11): those of a family, and
// those of the other store with the same name.
type Games struct {
	first []uint32 // by card number: the lowest number of a card of its game
	next  []uint32 // by card number: the next card of its game; after the last one, the first
}

// First returns the lowest number of a card that is the same game as card n. It is equal
// for all cards of a game.
func (g *Games) First(n uint32) uint32 { return g.first[n] }

// Len returns the number of games.
func (g *Games) Len() (n int) {
	for card, first := range g.first {
		if uint32(card) == first {
			n++
		}
	}
	return n
}

// Others yields the numbers of the other cards that are the same game as card n.
func (g *Games) Others(n uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for other := g.next[n]; other != n && yield(other); other = g.next[other] {
		}
	}
}

// Games returns which of the snapshot's cards are the same game. The first call computes it.
func (s *Snapshot) Games() *Games {
	return s.catalog.games.get(func() Games { return newGames(s) })
}

func newGames(s *Snapshot) Games {
	g := Games{make([]uint32, s.Len()), make([]uint32, s.Len())}
	for n := range g.first {
		g.first[n] = uint32(n)
	}
	titles := make([]string, s.Len()) // their keys
	for n := range titles {
		titles[n] = spelling.Key(s.Card(n).Title())
	}
	g.joinFamilies(s, titles)
	g.joinStores(s, titles)
	last := map[uint32]uint32{} // by first card of a game: the last one so far
	for n := range uint32(s.Len()) {
		first := g.find(n)
		g.first[n], g.next[n] = first, first
		if first != n {
			g.next[last[first]] = n
		}
		last[first] = n
	}
	return g
}

// joinFamilies joins the games, editions, bundles and demos of each family, and its add-ons
// with the same title.
func (g *Games) joinFamilies(s *Snapshot, titles []string) {
	type addOn struct {
		family uint32 // the first add-on of the family
		title  string
	}
	addOns := map[addOn]uint32{}
	for n := range uint32(s.Len()) {
		c := s.Card(int(n))
		switch c.Class() {
		case catalog.GameClass, catalog.DemoClass:
			if games := c.links(layout.CardGames); games.Len() > 0 {
				g.join(n, games.At(0))
			}
		case catalog.AddOnClass:
			family := c.links(layout.CardAddOns)
			if family.Len() == 0 { // of the PC store
				continue
			}
			key := addOn{family.At(0), cmp.Or(titles[n], c.Title())} // "★" folds to nothing
			if same, known := addOns[key]; known {
				g.join(n, same)
			}
			addOns[key] = n
		}
	}
}

// meaning is which games have a name.
type meaning struct {
	cards   [2]uint32 // a card of each store, plus one; 0: none
	many    bool      // several games of a store have it
	crossed bool      // a card with it has the name of another game, too
}

// joins reports whether a name is that of one game of each store.
func (m *meaning) joins() bool { return m.cards[0] != 0 && m.cards[1] != 0 && !m.many }

// joinStores joins games of different stores with the same type and the same title or
// invariant name, unless it is not clear which game the name means.
func (g *Games) joinStores(s *Snapshot, titles []string) {
	type named struct {
		name string
		kind catalog.Type
	}
	all := map[named]*meaning{}
	names := make([][2]*meaning, s.Len()) // by card: title and invariant name
	for n := range uint32(s.Len()) {
		c := s.Card(int(n))
		if c.Class() != catalog.GameClass {
			continue
		}
		store := 0
		if c.Platform() == catalog.PCStore {
			store = 1
		}
		for i, name := range [...]string{titles[n], spelling.Key(c.InvariantName())} {
			m := all[named{name, c.Type()}]
			if m == nil {
				m = &meaning{many: name == ""}
				all[named{name, c.Type()}] = m
			}
			m.many = m.many || m.cards[store] != 0 && g.find(m.cards[store]-1) != g.find(n)
			m.cards[store] = n + 1
			names[n][i] = m
		}
	}
	for _, of := range names {
		if a, b := of[0], of[1]; a != nil && a.joins() && b.joins() &&
			(g.find(a.cards[0]-1) != g.find(b.cards[0]-1) || g.find(a.cards[1]-1) != g.find(b.cards[1]-1)) {
			a.crossed, b.crossed = true, true
		}
	}
	for _, m := range all {
		if m.joins() && !m.crossed {
			g.join(m.cards[0]-1, m.cards[1]-1)
		}
	}
}

// join makes two cards the same game.
func (g *Games) join(a, b uint32) {
	a, b = g.find(a), g.find(b)
	g.first[max(a, b)] = min(a, b)
}

// find returns the first card of a game while games are joined.
func (g *Games) find(n uint32) uint32 {
	for g.first[n] != n {
		g.first[n] = g.first[g.first[n]] // halve the path
		n = g.first[n]
	}
	return n
}

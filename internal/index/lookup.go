package index

import (
	"slices"
	"sort"
	"strings"

	"gamedex/internal/catalog"
)

// Lookup finds a card by id: a gameId, a slug or an alias, in any case. On
// platform 0 a console card is preferred to a PC card, and a slug always to an
// alias.
func (s *Snapshot) Lookup(p catalog.Platform, id string) (Card, bool) {
	best, rank := Card{}, 3
	for at := s.ids.find(hashOf(id)); ; {
		n, ok := at.next()
		if !ok {
			return best, rank < 3
		}
		c := Card{s, n}
		if p != 0 && c.Platform() != p {
			continue
		}
		if r := c.rank(id); r < rank {
			best, rank = c, r
		}
	}
}

// rank says how well an id names the card: 0 as a gameId, 1 as a slug, 2 as an
// alias, 3 not at all.
func (c Card) rank(id string) int {
	switch {
	case same(c.ID(), id):
		return int(c.Platform() - catalog.ConsoleStore)
	case c.Aliases().has(id):
		return 2
	}
	return 3
}

func (l List) has(text string) bool {
	for i := range l.Len() {
		if same(l.At(i), text) {
			return true
		}
	}
	return false
}

// Moved lists the ids of the served cards in which the listings of a former
// card id live now; nil if it never was one, or nothing of it is served.
func (s *Snapshot) Moved(id string) []string {
	id = strings.ToLower(id)
	n := s.moved.Len() / 2
	i := sort.Search(n, func(i int) bool { return s.strings.At(s.moved.At(2*i)) >= id })
	if i == n || s.strings.At(s.moved.At(2*i)) != id {
		return nil
	}
	ids := List{s.strings, listAt(s.texts, s.moved.At(2*i+1))}
	out := make([]string, ids.Len())
	for i := range out {
		out[i] = ids.At(i)
	}
	return out
}

// exact lists the cards of which a whole query is an id, a product id, a title
// id or a store link, in final order.
func (s *Snapshot) exact(q string, p catalog.Platform) []uint32 {
	var found []uint32
	found = s.addExact(found, s.ids.find(hashOf(q)), p, q, Card.hasKey)
	found = s.addExact(found, s.keys.find(hashOf(q)), p, q, Card.hasKey)
	if bare := bareTitleID(q); bare != q {
		found = s.addExact(found, s.keys.find(hashOf(bare)), p, q, Card.hasKey)
	}
	if strings.Contains(q, "://") {
		found = s.addExact(found, s.keys.find(hashOf(q)), p, q, Card.hasLink)
		for part := range linkParts(q) {
			found = s.addExact(found, s.keys.find(hashOf(part)), p, q, Card.hasLink)
			found = s.addExact(found, s.ids.find(hashOf(part)), p, q, Card.hasLink)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// addExact adds the cards of a probe that are of the platform and for which
// has confirms the query.
func (s *Snapshot) addExact(found []uint32, at probe, p catalog.Platform, q string, has func(Card, string) bool) []uint32 {
	for n, ok := at.next(); ok; n, ok = at.next() {
		c := Card{s, n}
		if (p == 0 || c.Platform() == p) && has(c, q) {
			found = append(found, n)
		}
	}
	return found
}

// hasKey confirms an id, alias, product id or title id.
func (c Card) hasKey(q string) bool {
	if c.rank(q) < 3 || c.hasRow(func(r Row) bool { return same(r.Product(), q) }) {
		return true
	}
	ids := c.TitleIDs()
	for i := range ids.Len() {
		if same(bareTitleID(ids.At(i)), bareTitleID(q)) {
			return true
		}
	}
	return false
}

// hasLink confirms a store link.
func (c Card) hasLink(q string) bool {
	var buf []byte
	return same(c.StoreURL(), q) || c.hasRow(func(r Row) bool {
		buf = r.AppendURL(buf[:0])
		return same(string(buf), q)
	})
}

func (c Card) hasRow(ok func(Row) bool) bool {
	if c.Rows().any(ok) {
		return true
	}
	offers := c.Offers()
	for i := range offers.Len() {
		if offers.At(i).Rows().any(ok) {
			return true
		}
	}
	return false
}

func (r Rows) any(ok func(Row) bool) bool {
	for i := range r.Len() {
		if ok(r.At(i)) {
			return true
		}
	}
	return false
}

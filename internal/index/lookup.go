package index

import (
	"slices"
	"sort"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
)

// Lookup finds a card by id: a gameId, a slug or an alias, in any case. On
// platform 0 it prefers a console card to a PC card, and a slug to an alias.
func (s *Snapshot) Lookup(p catalog.Platform, id string) (Card, bool) {
	best, rank := Card{}, noMatch
	at := s.catalog.ids.Find(id)
	for n, ok := at.Next(); ok; n, ok = at.Next() {
		c := Card{s, n}
		if p != 0 && c.Platform() != p {
			continue
		}
		if r := c.rank(id); r < rank {
			best, rank = c, r
		}
	}
	return best, rank < noMatch
}

// What an id is to a card, best first.
const (
	isGameID = iota
	isSlug
	isAlias
	noMatch
)

func (c Card) rank(id string) int {
	switch {
	case strings.EqualFold(c.ID(), id) && c.Platform() == catalog.ConsoleStore:
		return isGameID
	case strings.EqualFold(c.ID(), id):
		return isSlug
	case c.Aliases().has(id):
		return isAlias
	}
	return noMatch
}

func (l List) has(text string) bool {
	for i := range l.Len() {
		if strings.EqualFold(l.At(i), text) {
			return true
		}
	}
	return false
}

// Moved returns the ids of the served cards that have the listings of a former
// card id now; nil if there are none.
func (s *Snapshot) Moved(id string) []string {
	id = strings.ToLower(id)
	moved, texts := s.catalog.moved, s.catalog.strings
	n := moved.Len() / 2
	i := sort.Search(n, func(i int) bool { return texts.At(moved.At(2*i)) >= id })
	if i == n || texts.At(moved.At(2*i)) != id {
		return nil
	}
	ids := List{texts, layout.ListAt(s.catalog.texts, moved.At(2*i+1))}
	out := make([]string, ids.Len())
	for i := range out {
		out[i] = ids.At(i)
	}
	return out
}

// exact returns the cards of which a whole query is an id, a product id, a
// title id or a store link, in final order.
func (s *Snapshot) exact(query string, p catalog.Platform) []uint32 {
	var found []uint32
	// collect adds the cards of a key for which has confirms the query: keys
	// share hashes.
	collect := func(at layout.Walk, has func(Card, string) bool) {
		for n, ok := at.Next(); ok; n, ok = at.Next() {
			c := Card{s, n}
			if (p == 0 || c.Platform() == p) && has(c, query) {
				found = append(found, n)
			}
		}
	}
	ids, keys := s.catalog.ids, s.catalog.keys
	collect(ids.Find(query), Card.hasKey)
	collect(keys.Find(query), Card.hasKey)
	if bare := layout.BareTitleID(query); bare != query {
		collect(keys.Find(bare), Card.hasKey)
	}
	if strings.Contains(query, "://") {
		collect(keys.Find(query), Card.hasLink)
		for part := range layout.LinkParts(query) {
			collect(keys.Find(part), Card.hasLink)
			collect(ids.Find(part), Card.hasLink)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// hasKey reports whether the card has an id, alias, product id or title id.
func (c Card) hasKey(key string) bool {
	if c.rank(key) != noMatch || c.hasRow(func(r Row) bool { return strings.EqualFold(r.Product(), key) }) {
		return true
	}
	ids := c.TitleIDs()
	for i := range ids.Len() {
		if strings.EqualFold(layout.BareTitleID(ids.At(i)), layout.BareTitleID(key)) {
			return true
		}
	}
	return false
}

// hasLink reports whether the card has a store link.
func (c Card) hasLink(link string) bool {
	var buf []byte
	return strings.EqualFold(c.StoreURL(), link) || c.hasRow(func(r Row) bool {
		buf = r.AppendURL(buf[:0])
		return strings.EqualFold(string(buf), link)
	})
}

// hasRow reports whether ok holds for any row of the card or its offers.
func (c Card) hasRow(ok func(Row) bool) bool {
	if c.Rows().contain(ok) {
		return true
	}
	offers := c.Offers()
	for i := range offers.Len() {
		if offers.At(i).Rows().contain(ok) {
			return true
		}
	}
	return false
}

func (r Rows) contain(ok func(Row) bool) bool {
	for i := range r.Len() {
		if ok(r.At(i)) {
			return true
		}
	}
	return false
}

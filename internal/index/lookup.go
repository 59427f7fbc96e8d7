package index

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"sort"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/search"
)

// Lookup finds a card by id: a gameId in any case, or a slug or an alias in any form of
// [catalog.Slug]. On platform 0 it prefers a console card to a PC card, and a slug to an
// alias.
func (s *Snapshot) Lookup(p catalog.Platform, id string) (Card, bool) {
	if !catalog.CanBeGameID(id) { // which the table finds in any case
		id = catalog.Slug(id)
	}
	best, rank, first := Card{}, noMatch, bestRank(id)
	at := s.catalog.IDs.Find(id)
	for n, ok := at.Next(); ok; n, ok = at.Next() {
		c := Card{s, n}
		if p != 0 && c.Platform() != p {
			continue
		}
		if r := c.rank(id); r < rank {
			best, rank = c, r
		}
		if rank == first {
			break
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

// bestRank returns the best that an id of [catalog.CardID] can be to a card.
func bestRank(id string) int {
	if catalog.CanBeGameID(id) {
		return isGameID
	}
	return isSlug
}

// rank returns what an id of [catalog.CardID] is to the card.
func (c Card) rank(id string) int {
	switch {
	case c.Platform() == catalog.ConsoleStore && strings.EqualFold(c.ID(), id):
		return isGameID
	case strings.EqualFold(c.ID(), id):
		return isSlug
	}
	aliases := c.Aliases()
	for i := range aliases.Len() {
		if strings.EqualFold(aliases.At(i), id) {
			return isAlias
		}
	}
	return noMatch
}

// Moved returns the ids of the cards that AppendMoved appends; nil if there are none.
func (s *Snapshot) Moved(p catalog.Platform, id string) (ids []string) {
	for _, c := range s.AppendMoved(nil, p, id) {
		ids = append(ids, c.ID())
	}
	return ids
}

// AppendMoved appends the served cards that have the listings of a former card id now, and that
// Lookup finds on the platform.
func (s *Snapshot) AppendMoved(list []Card, p catalog.Platform, id string) []Card {
	i, ok := s.findMoved(id)
	if !ok {
		return list
	}
	ids := List{s.catalog.Strings, layout.ListAt(s.catalog.Texts, s.catalog.Moved.At(2*i+1))}
	for i := range ids.Len() {
		// An id in another case can be that of another card.
		if c, ok := s.Lookup(p, ids.At(i)); ok && c.ID() == ids.At(i) {
			list = append(list, c)
		}
	}
	return list
}

// WasServed reports whether a card had the id once, and none has it now.
func (s *Snapshot) WasServed(id string) bool {
	_, ok := s.findMoved(id)
	return ok
}

// findMoved returns the position of a former id among the pairs.
func (s *Snapshot) findMoved(id string) (i int, ok bool) {
	id = strings.ToLower(catalog.CardID(id))
	moved, texts := s.catalog.Moved, s.catalog.Strings
	n := moved.Len() / 2
	i = sort.Search(n, func(i int) bool { return texts.At(moved.At(2*i)) >= id })
	return i, i < n && texts.At(moved.At(2*i)) == id
}

// exact returns the cards that have the whole query as their id, product id,
// title id or store link, in final order.
func (s *Snapshot) exact(query string, p catalog.Platform) []uint32 {
	var found []uint32
	// collect adds the cards of a key that have the query, which it checks because
	// different keys can have the same hash.
	collect := func(at layout.Walk, has func(Card, string) bool) {
		for n, ok := at.Next(); ok; n, ok = at.Next() {
			c := Card{s, n}
			if (p == 0 || c.Platform() == p) && has(c, query) {
				found = append(found, n)
			}
		}
	}
	ids, keys := s.catalog.IDs, s.catalog.Keys
	s.collectIDs(query, collect)
	if strings.Contains(query, "://") {
		collect(keys.Find(query), Card.hasLink)
		for part := range layout.LinkParts(query) {
			collect(keys.Find(part), Card.hasLink)
			collect(ids.Find(catalog.CardID(decoded(part))), Card.hasLink)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// collectIDs calls collect with the cards that may have a text as their id, slug, alias, product
// id or title id, and what says whether they have.
func (s *Snapshot) collectIDs(text string, collect func(at layout.Walk, has func(Card, string) bool)) {
	if id := catalog.CardID(text); id != "" {
		collect(s.catalog.IDs.Find(id), func(c Card, _ string) bool { return c.rank(id) != noMatch })
	}
	collect(s.catalog.Keys.Find(text), Card.hasKey)
	if bare := layout.BareTitleID(text); bare != text {
		collect(s.catalog.Keys.Find(bare), Card.hasKey)
	}
}

// WithID appends to dst the cards of a platform that have the text as their id, slug, alias,
// product id or title id (with or without "_00"), in final order. A card that has it as its own
// id or slug excludes all others.
func (s *Snapshot) WithID(text string, p catalog.Platform, dst []Card) []Card {
	if c, ok := s.Lookup(p, text); ok {
		return append(dst, c)
	}
	before := len(dst)
	s.collectIDs(text, func(at layout.Walk, has func(Card, string) bool) {
		for n, ok := at.Next(); ok; n, ok = at.Next() {
			if c := (Card{s, n}); c.Platform() == p && has(c, text) {
				dst = append(dst, c)
			}
		}
	})
	found := dst[before:]
	slices.SortFunc(found, func(a, b Card) int { return cmp.Compare(a.n, b.n) })
	return dst[:before+len(slices.Compact(found))]
}

// WithLink is WithID for a link whose path has the id: the last part of the path that any card
// has counts. The host of the link must be that of a store link of some card of the platform.
// certain is false if another part comes after the id and this is only a name, not a product id or
// title id.
func (s *Snapshot) WithLink(link string, p catalog.Platform, dst []Card) (found []Card, certain bool) {
	if at := strings.IndexAny(link, "?#"); at >= 0 {
		link = link[:at]
	}
	host, rest := layout.CutHost(strings.TrimSpace(link))
	if _, known := (*s.hosts())[storeHost{p, host}]; !known {
		return dst, false
	}
	rest = path.Clean("/" + rest) // browsers take out ".." before they ask the store
	for parts := 0; len(rest) > 1 && parts < maxLinkParts; parts++ {
		at := strings.LastIndexByte(rest, '/')
		id := rest[at+1:]
		if found := s.WithID(id, p, dst); len(found) > len(dst) {
			return found, parts == 0 || found[len(dst)].hasKey(id)
		}
		rest = rest[:max(0, at)]
	}
	return dst, false
}

// maxLinkParts bounds how many parts of a link's path are looked up.
const maxLinkParts = 16

// storeHost is a host of store links of a platform.
type storeHost struct {
	platform catalog.Platform
	host     string
}

// hosts returns the hosts of the store links of cards. The first call computes them.
func (s *Snapshot) hosts() *map[storeHost]struct{} {
	return s.catalog.hosts.get(func() map[storeHost]struct{} {
		hosts := map[storeHost]struct{}{}
		for n := range s.Len() {
			c := s.Card(n)
			if host, _ := layout.CutHost(c.StoreURL()); host != "" {
				hosts[storeHost{c.Platform(), host}] = struct{}{}
			}
		}
		return hosts
	})
}

// decoded returns a part of a link without percent escapes.
func decoded(part string) string {
	if text, err := url.PathUnescape(part); err == nil {
		return text
	}
	return part
}

// hasKey reports whether the card has a product id or title id.
func (c Card) hasKey(key string) bool {
	if c.hasRow(func(r Row) bool { return strings.EqualFold(r.Product(), key) }) {
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

// hasLink reports whether the card has a store link, with or without percent escapes.
func (c Card) hasLink(link string) bool {
	link = decoded(link)
	var buf []byte
	return strings.EqualFold(decoded(c.StoreURL()), link) || c.hasRow(func(r Row) bool {
		buf = r.AppendURL(buf[:0])
		return strings.EqualFold(decoded(string(buf)), link)
	})
}

// hasRow reports whether ok holds for any row of the card or its offers.
func (c Card) hasRow(ok func(Row) bool) bool {
	rows, offers := c.Rows(), c.Offers()
	for i := 0; ; i++ {
		for j := range rows.Len() {
			if ok(rows.At(j)) {
				return true
			}
		}
		if i == offers.Len() {
			return false
		}
		rows = offers.At(i).Rows()
	}
}

// Correction says how a query was changed that finds nothing as it is written.
type Correction = search.Correction

// Hit is a card that a search found, with the title to show: the one in the
// language that matched best.
type Hit struct {
	Card  Card
	Title string
	// Shown is the number of the title, 0 for the card's own, or search.NotOwn if something that
	// is sold with the card has it. Like says how much the name is like the text; only
	// [Snapshot.FindWhole] sets it.
	Shown uint16
	Like  search.Likeness
}

// maxPage is how many hits are found without allocating for them: more than
// any page of the API has.
const maxPage = 128

// Find searches by title and by exact id (contract, section 7). Cards that have
// the whole text as their id, slug, alias, product id, title id (with or
// without "_00") or store link come first, followed by cards that match by
// title, without repeats. Platform 0 means all. It skips the best offset hits,
// appends at most limit of the others to dst, and returns the exact number of
// all hits, and how the text was changed. It tries other keyboard layouts and sounds,
// and loosely also typos and fewer words, only if nothing else is found, an exact id
// included.
func (s *Snapshot) Find(text string, p catalog.Platform, limit, offset int, loosely bool, dst []Hit) ([]Hit, int, Correction) {
	q := search.Query{Text: text, Groups: groupsOf(p), Limit: limit, Offset: offset, Typos: loosely, Scripts: true, Drop: loosely}
	exact := s.exact(strings.TrimSpace(text), p)
	var page [maxPage]search.Hit
	hits, total, corrected := page[:0], 0, Correction{}
	if len(exact) == 0 {
		hits, total, corrected = s.catalog.search.Find(q, hits)
	} else {
		// List all ordinary matches: some of them may be exact ones, which show the
		// title that matched.
		var ordinary []search.Hit
		ordinary, _, corrected = s.catalog.search.Find(search.Query{Text: q.Text, Groups: q.Groups, Limit: s.Len()}, nil)
		for _, n := range exact {
			hits = append(hits, search.Hit{Doc: n})
		}
		for _, h := range ordinary {
			if i, known := slices.BinarySearch(exact, h.Doc); known {
				hits[i] = h
			} else {
				hits = append(hits, h)
			}
		}
		total = len(hits)
		from := min(max(0, offset), total)
		hits = hits[from:min(from+max(0, limit), total)]
	}
	return s.appendHits(dst, hits), total, corrected
}

// FindWhole appends to dst the best cards of a platform whose titles have all words of the text
// as they are written, at most limit of them, best first. Platform 0 means all.
func (s *Snapshot) FindWhole(text string, p catalog.Platform, limit int, dst []Hit) []Hit {
	return s.findBest(search.Query{Text: text, Groups: groupsOf(p), Limit: limit, Whole: true}, dst)
}

// FindSimilar is FindWhole for a text with typing errors, or if sounds is true, one that is read
// by its sound.
func (s *Snapshot) FindSimilar(text string, p catalog.Platform, limit int, sounds bool, dst []Hit) []Hit {
	return s.findBest(search.Query{Text: text, Groups: groupsOf(p), Limit: limit, Typos: true, Sounds: sounds}, dst)
}

func (s *Snapshot) findBest(q search.Query, dst []Hit) []Hit {
	var page [maxPage]search.Hit
	hits, _, _ := s.catalog.search.Find(q, page[:0])
	return s.appendHits(dst, hits)
}

// groupsOf returns the groups of search that a platform is; 0 is all.
func groupsOf(p catalog.Platform) uint8 {
	if p == 0 {
		return 0
	}
	return 1 << p
}

func (s *Snapshot) appendHits(dst []Hit, hits []search.Hit) []Hit {
	for _, h := range hits {
		c := Card{s, h.Doc}
		title := c.Title()
		if titles := c.Titles(); h.Shown > 0 && int(h.Shown) < titles.Len() {
			title = titles.At(int(h.Shown))
		}
		dst = append(dst, Hit{c, title, h.Shown, h.Like})
	}
	return dst
}

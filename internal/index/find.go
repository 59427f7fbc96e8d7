package index

import (
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/search"
)

// Hit is a card that a search found, with the title to show: the one in the
// language that matched best.
type Hit struct {
	Card  Card
	Title string
}

// maxPage is how many hits are found without allocating for them: more than
// any page of the API has.
const maxPage = 128

// Find searches by title and by exact id (contract, section 7). Cards of which
// the whole text is the id, slug, alias, product id, title id (with or without
// "_00") or store link come first, followed by what matches by title, without
// repeats. Platform 0 is all. It appends at most limit hits to dst, without the
// best offset ones, and returns the exact number of all hits. It tries typos
// only if nothing else is found, an exact id included.
func (s *Snapshot) Find(text string, p catalog.Platform, limit, offset int, typos bool, dst []Hit) ([]Hit, int) {
	q := search.Query{Text: text, Limit: limit, Offset: offset, Typos: typos}
	if p != 0 {
		q.Groups = 1 << p
	}
	exact := s.exact(strings.TrimSpace(text), p)
	if len(exact) == 0 {
		var page [maxPage]search.Hit
		hits, total := s.catalog.search.Find(q, page[:0])
		return s.appendHits(dst, hits), total
	}
	return s.findAfter(exact, q, dst)
}

// findAfter puts exact matches, which are sorted, before the ordinary ones.
// Only here it lists all ordinary matches: some of them may be exact ones, and
// those show the title that matched.
func (s *Snapshot) findAfter(exact []uint32, q search.Query, dst []Hit) ([]Hit, int) {
	limit, offset := q.Limit, q.Offset
	q.Limit, q.Offset, q.Typos = s.Len(), 0, false
	ordinary, _ := s.catalog.search.Find(q, nil)
	hits := make([]search.Hit, len(exact), len(exact)+len(ordinary))
	for i, n := range exact {
		hits[i].Doc = n
	}
	for _, h := range ordinary {
		if i, known := slices.BinarySearch(exact, h.Doc); known {
			hits[i] = h
		} else {
			hits = append(hits, h)
		}
	}
	from := min(max(0, offset), len(hits))
	to := min(from+max(0, limit), len(hits))
	return s.appendHits(dst, hits[from:to]), len(hits)
}

func (s *Snapshot) appendHits(dst []Hit, hits []search.Hit) []Hit {
	for _, h := range hits {
		c := Card{s, h.Doc}
		title := c.Title()
		if titles := c.Titles(); h.Shown > 0 && int(h.Shown) < titles.Len() {
			title = titles.At(int(h.Shown))
		}
		dst = append(dst, Hit{c, title})
	}
	return dst
}

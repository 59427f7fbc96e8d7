package api

import (
	"math"
	"net/http"
	"slices"

	"gamedex/internal/api/cards"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/index/cardset"
	"gamedex/internal/lists"
)

// The bounds of search and suggest.
const (
	minQuery, maxQuery                   = 2, 200 // code points
	defaultSearchLimit, maxSearchLimit   = 10, 100
	defaultSuggestLimit, maxSuggestLimit = 8, 20
	maxOffset                            = math.MaxInt32
)

// searchParams are the parameters of search and of suggest.
type searchParams struct {
	q                string
	platform         catalog.Platform // 0: all
	limit, offset    int
	related, members bool
	distinct         bool // only the first card of each game
	filter           lists.Filter
	filterText       string // the filter as it was sent
	language         catalog.Language
}

// search answers GET /catalog/search.
func (rq *request) search() error {
	p := rq.params()
	s := searchParams{
		q:        p.Text("q", minQuery, maxQuery),
		platform: p.Platform("platform"),
		limit:    p.Integer("limit", defaultSearchLimit, 1, maxSearchLimit),
		offset:   p.Integer("offset", 0, 0, maxOffset),
		related:  p.Boolean("includeRelated"),
		members:  p.Boolean("includeMembers"),
	}
	s.filter, s.filterText = p.Cards(s.platform), p.Canonical("types", "platforms", "genres", "publishers")
	s.distinct = p.Distinct()
	s.language = p.Language("lang")
	v, err := rq.checkedView(p)
	if err != nil {
		return err
	}
	hits, total, c := s.find(v, rq.hits[:0])
	rq.hits = hits
	meta := correctedMeta(c)
	out := unreadPlatforms(v, s.platform)
	if rq.unchanged(rq.searchTag(s, v, hits).Number(uint64(total)).Text(meta).Texts(out)) {
		return nil
	}
	forPages, release := rq.forPages(v, s.language, s.filter)
	defer release()
	return rq.sendEnvelope(http.StatusOK, appendUnavailable([]byte(meta), out), func(b *respond.Body) {
		cards.Encoder{Body: b, View: v, Now: rq.now, Language: v.Language(s.language), Pages: forPages}.EncodeResults(hits, s.related, s.members)
		dst := append(b.Buf, `,"total":`...)
		dst = wire.AppendInt(dst, int64(total))
		dst = wire.AppendInt(append(dst, `,"limit":`...), int64(s.limit))
		dst = wire.AppendInt(append(dst, `,"offset":`...), int64(s.offset))
		b.Buf = append(dst, '}')
	})
}

// correctedMeta returns the members of meta that say how the query was changed, if it was.
func correctedMeta(c index.Correction) string {
	if c.Changes == 0 {
		return ""
	}
	meta := wire.AppendText([]byte(`,"corrected":{"query":`), c.Query)
	meta = wire.AppendStrings(append(meta, `,"changes":`...), c.Changes.Names())
	if len(c.Dropped) == 0 {
		return string(append(meta, '}'))
	}
	return string(append(wire.AppendStrings(append(meta, `,"dropped":`...), c.Dropped), `},"relaxed":true`...))
}

// find appends the hits of the page to dst. It returns the number of all hits, and how the
// query was changed to find them.
func (s *searchParams) find(v *index.View, dst []index.Hit) (hits []index.Hit, total int, c index.Correction) {
	if !s.filter.SelectsAll() || s.distinct {
		return s.findFiltered(v, dst)
	}
	return v.Find(s.q, s.platform, s.limit, s.offset, true, dst)
}

// findFiltered is find with a filter, or for the first card of each game: it finds all hits
// and keeps those that pass.
func (s *searchParams) findFiltered(v *index.View, dst []index.Hit) (hits []index.Hit, total int, c index.Correction) {
	all := searchParams{q: s.q, platform: s.platform, limit: v.Len(), filter: lists.Filter{Platform: s.platform}}
	hits, _, c = all.find(v, nil)
	selected := s.filter.Select(v.Snapshot)
	hits = slices.DeleteFunc(hits, func(h index.Hit) bool { return !selected.Has(uint32(h.Card.Number())) })
	if s.distinct {
		hits = firstOfGames(v, hits)
	}
	if len(hits) == 0 {
		c = index.Correction{}
	}
	from := min(s.offset, len(hits))
	return append(dst, hits[from:min(from+s.limit, len(hits))]...), len(hits), c
}

// firstOfGames returns the first hit of each game.
func firstOfGames(v *index.View, hits []index.Hit) []index.Hit {
	games, seen := v.Games(), cardset.None(v.Len())
	return slices.DeleteFunc(hits, func(h index.Hit) bool {
		game := games.First(uint32(h.Card.Number()))
		repeated := seen.Has(game)
		seen.Add(game)
		return repeated
	})
}

// suggest answers GET /catalog/suggest: the order of search, without typos.
func (rq *request) suggest() error {
	p := rq.params()
	s := searchParams{
		q:        p.Text("q", minQuery, maxQuery),
		platform: p.Platform("platform"),
		limit:    p.Integer("limit", defaultSuggestLimit, 1, maxSuggestLimit),
		language: p.Language("lang"),
	}
	v, err := rq.checkedView(p)
	if err != nil {
		return err
	}
	hits, _, _ := v.Find(s.q, s.platform, s.limit, 0, false, rq.hits[:0])
	forPages, release := rq.forPages(v, s.language, lists.Filter{Platform: s.platform})
	defer release()
	if forPages != nil {
		hits = firstOfGames(v, hits)
	}
	rq.hits = hits
	out := unreadPlatforms(v, s.platform)
	if rq.unchanged(rq.searchTag(s, v, hits).Texts(out)) {
		return nil
	}
	return rq.sendEnvelope(http.StatusOK, appendUnavailable(nil, out), func(b *respond.Body) {
		b.Buf = cards.Encoder{View: v, Now: rq.now, Language: v.Language(s.language), Pages: forPages}.AppendSuggestions(b.Buf, hits)
	})
}

// searchTag covers the parameters and what the hits show.
func (rq *request) searchTag(s searchParams, v *index.View, hits []index.Hit) respond.Tag {
	t := rq.newTagIn(s.language).Text(s.q).Text(s.filterText).Number(uint64(s.platform)).Number(uint64(s.limit)).
		Number(uint64(s.offset)).Flag(s.related).Flag(s.members).Flag(s.distinct).Number(uint64(v.PassedEnds(rq.now)))
	for _, h := range hits {
		t = t.Text(h.Card.ID()).Number(h.Card.Rev()).Text(h.Title)
	}
	return t
}

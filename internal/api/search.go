package api

import (
	"math"
	"net/http"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// The bounds of search and suggest.
const (
	minQuery, maxQuery                   = 2, 200 // code points
	defaultSearchLimit, maxSearchLimit   = 10, 100
	defaultSuggestLimit, maxSuggestLimit = 8, 20
	maxRelated                           = 20 // items of related[] in a search result
	maxOffset                            = math.MaxInt32
	anyPlatform                          = "all"
)

// searchParams are the parameters of search and of suggest.
type searchParams struct {
	q                string
	platform         catalog.Platform // 0: all
	limit, offset    int
	related, members bool
}

// search answers GET /catalog/search.
func (rq *request) search() error {
	p := rq.params()
	s := searchParams{
		q:        p.text("q", minQuery, maxQuery),
		platform: p.platform("platform", anyPlatform),
		limit:    p.integer("limit", defaultSearchLimit, 1, maxSearchLimit),
		offset:   p.integer("offset", 0, 0, maxOffset),
		related:  p.boolean("includeRelated"),
		members:  p.boolean("includeMembers"),
	}
	if err := p.err(); err != nil {
		return err
	}
	v, err := rq.view()
	if err != nil {
		return err
	}
	hits, total := v.Find(s.q, s.platform, s.limit, s.offset, true, rq.hits[:0])
	rq.hits = hits
	if rq.unchanged(rq.searchTag(s, v, hits).number(uint64(total))) {
		return nil
	}
	return rq.answer(http.StatusOK, func(a *answer) {
		e := searchEncoder{cardEncoder{a: a, v: v, now: rq.now}, s}
		e.results(hits)
		a.buf = append(a.buf, `,"total":`...)
		a.buf = appendInt(a.buf, int64(total))
		a.buf = append(a.buf, `,"limit":`...)
		a.buf = appendInt(a.buf, int64(s.limit))
		a.buf = append(a.buf, `,"offset":`...)
		a.buf = appendInt(a.buf, int64(s.offset))
		a.buf = append(a.buf, `},"meta":{`...)
		a.buf = rq.appendMetaMembers(a.buf)
		a.buf = append(a.buf, `}}`...)
	})
}

// suggest answers GET /catalog/suggest: the order of search, without typos.
func (rq *request) suggest() error {
	p := rq.params()
	s := searchParams{
		q:        p.text("q", minQuery, maxQuery),
		platform: p.platform("platform", anyPlatform),
		limit:    p.integer("limit", defaultSuggestLimit, 1, maxSuggestLimit),
	}
	if err := p.err(); err != nil {
		return err
	}
	v, err := rq.view()
	if err != nil {
		return err
	}
	hits, _ := v.Find(s.q, s.platform, s.limit, 0, false, rq.hits[:0])
	rq.hits = hits
	if rq.unchanged(rq.searchTag(s, v, hits)) {
		return nil
	}
	return rq.success(func(dst []byte) []byte { return appendSuggestions(dst, hits) })
}

// searchTag covers the parameters and what the hits show.
func (rq *request) searchTag(s searchParams, v *index.View, hits []index.Hit) tag {
	t := rq.newTag(rq.tag[:0]).text(s.q).number(uint64(s.platform)).number(uint64(s.limit)).
		number(uint64(s.offset)).flag(s.related).flag(s.members).number(uint64(v.PassedEnds(rq.now)))
	for _, h := range hits {
		t = t.text(h.Card.ID()).number(h.Card.Rev()).text(h.Title)
	}
	return t
}

func appendSuggestions(dst []byte, hits []index.Hit) []byte {
	dst = append(dst, `{"suggestions":[`...)
	for i, h := range hits {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"id":`...)
		dst = appendText(dst, h.Card.ID())
		dst = append(dst, `,"platform":`...)
		dst = appendText(dst, h.Card.Platform().String())
		dst = append(dst, `,"title":`...)
		dst = appendText(dst, h.Title)
		dst = append(dst, `,"thumbnail":`...)
		dst = appendText(dst, h.Card.Thumbnail())
		dst = append(dst, '}')
	}
	return append(dst, `]}`...)
}

// searchEncoder appends search results.
type searchEncoder struct {
	cardEncoder
	params searchParams
}

func (e searchEncoder) results(hits []index.Hit) {
	e.a.buf = append(e.a.buf, `{"ok":true,"data":{"results":[`...)
	for i, h := range hits {
		if i > 0 {
			e.a.buf = append(e.a.buf, ',')
		}
		e.result(h)
		if !e.a.full() {
			return
		}
	}
	e.a.buf = append(e.a.buf, ']')
}

func (e searchEncoder) result(h index.Hit) {
	c := h.Card
	dst := append(e.a.buf, `{"id":`...)
	dst = appendText(dst, c.ID())
	dst = append(dst, `,"platform":`...)
	dst = appendText(dst, c.Platform().String())
	dst = append(dst, `,"title":`...)
	dst = appendText(dst, h.Title)
	dst = append(dst, `,"type":`...)
	dst = appendText(dst, c.Type().String())
	dst = append(dst, `,"thumbnail":`...)
	dst = appendText(dst, c.Thumbnail())
	dst = append(dst, `,"price":`...)
	dst = appendSimplePrice(dst, e.v.Snapshot, c, e.now)
	dst = append(dst, `,"regions":`...)
	dst = appendActiveRegions(dst, e.v, c)
	dst = append(dst, `,"storeUrl":`...)
	e.a.buf = appendText(dst, c.StoreURL())
	if e.params.related {
		e.related(c)
	}
	if e.params.members && c.Type() == catalog.Bundle {
		e.list(`,"members":[`, c.Members())
	}
	e.a.buf = append(e.a.buf, '}')
}

// related appends related[]: a console card's add-ons, then its variants; a PC
// card's other offers. At most 20 in all.
func (e searchEncoder) related(c index.Card) {
	e.a.buf = append(e.a.buf, `,"related":[`...)
	if c.Platform() == catalog.PCStore {
		e.otherOffers(c)
	} else {
		n := e.some(c.Related(), 0)
		e.some(c.Variants(), n)
	}
	e.a.buf = append(e.a.buf, ']')
}

// some appends cards until there are maxRelated items, n of which stand
// already. It gives how many there are then.
func (e searchEncoder) some(cards index.Cards, n int) int {
	for i := 0; i < cards.Len() && n < maxRelated; i++ {
		if n > 0 {
			e.a.buf = append(e.a.buf, ',')
		}
		e.a.buf = appendEntry(e.a.buf, e.v.Snapshot, cards.At(i), e.now)
		n++
	}
	return n
}

func (e searchEncoder) otherOffers(c index.Card) {
	main, n := mainOffer(e.v, c), 0
	for i := 0; i < c.Offers().Len() && n < maxRelated; i++ {
		offer := c.Offers().At(i)
		if offer.ID() == main || !offer.InActive() {
			continue
		}
		if n > 0 {
			e.a.buf = append(e.a.buf, ',')
		}
		e.a.buf = appendEntry(e.a.buf, e.v.Snapshot, offer, e.now)
		n++
	}
}

// mainOffer is the product whose rows the card shows: that of its first active
// region.
func mainOffer(v *index.View, c index.Card) string {
	rows := c.Rows()
	for i := range v.Active() {
		if row, ok := rows.InRegion(v.Active()[i].No); ok {
			return row.Product()
		}
	}
	return ""
}

package api

import (
	"math"

	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
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
		q:        p.readText("q", minQuery, maxQuery),
		platform: p.readPlatform("platform", anyPlatform),
		limit:    p.readInteger("limit", defaultSearchLimit, 1, maxSearchLimit),
		offset:   p.readInteger("offset", 0, 0, maxOffset),
		related:  p.readBoolean("includeRelated"),
		members:  p.readBoolean("includeMembers"),
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
	if rq.unchanged(rq.searchTag(s, v, hits).Number(uint64(total))) {
		return nil
	}
	return rq.sendData(func(b *respond.Body) {
		e := searchEncoder{cardEncoder{b, v, rq.now}, s}
		e.encodeResults(hits)
		dst := append(b.Buf, `,"total":`...)
		dst = wire.AppendInt(dst, int64(total))
		dst = append(dst, `,"limit":`...)
		dst = wire.AppendInt(dst, int64(s.limit))
		dst = append(dst, `,"offset":`...)
		dst = wire.AppendInt(dst, int64(s.offset))
		b.Buf = append(dst, '}')
	})
}

// suggest answers GET /catalog/suggest: the order of search, without typos.
func (rq *request) suggest() error {
	p := rq.params()
	s := searchParams{
		q:        p.readText("q", minQuery, maxQuery),
		platform: p.readPlatform("platform", anyPlatform),
		limit:    p.readInteger("limit", defaultSuggestLimit, 1, maxSuggestLimit),
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
	return rq.sendData(func(b *respond.Body) { b.Buf = appendSuggestions(b.Buf, hits) })
}

// searchTag covers the parameters and what the hits show.
func (rq *request) searchTag(s searchParams, v *index.View, hits []index.Hit) respond.Tag {
	t := rq.newTag().Text(s.q).Number(uint64(s.platform)).Number(uint64(s.limit)).
		Number(uint64(s.offset)).Flag(s.related).Flag(s.members).Number(uint64(v.PassedEnds(rq.now)))
	for _, h := range hits {
		t = t.Text(h.Card.ID()).Number(h.Card.Rev()).Text(h.Title)
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
		dst = wire.AppendText(dst, h.Card.ID())
		dst = append(dst, `,"platform":`...)
		dst = wire.AppendText(dst, h.Card.Platform().String())
		dst = append(dst, `,"title":`...)
		dst = wire.AppendText(dst, h.Title)
		dst = append(dst, `,"thumbnail":`...)
		dst = wire.AppendText(dst, h.Card.Thumbnail())
		dst = append(dst, '}')
	}
	return append(dst, `]}`...)
}

// searchEncoder appends search results.
type searchEncoder struct {
	cardEncoder
	params searchParams
}

func (e searchEncoder) encodeResults(hits []index.Hit) {
	e.Buf = append(e.Buf, `{"results":[`...)
	for i, h := range hits {
		if i > 0 {
			e.Buf = append(e.Buf, ',')
		}
		e.encodeResult(h)
		if !e.SendPiece() {
			return
		}
	}
	e.Buf = append(e.Buf, ']')
}

func (e searchEncoder) encodeResult(h index.Hit) {
	c := h.Card
	dst := append(e.Buf, `{"id":`...)
	dst = wire.AppendText(dst, c.ID())
	dst = append(dst, `,"platform":`...)
	dst = wire.AppendText(dst, c.Platform().String())
	dst = append(dst, `,"title":`...)
	dst = wire.AppendText(dst, h.Title)
	dst = append(dst, `,"type":`...)
	dst = wire.AppendText(dst, c.Type().String())
	dst = append(dst, `,"thumbnail":`...)
	dst = wire.AppendText(dst, c.Thumbnail())
	dst = append(dst, `,"price":`...)
	dst = wire.AppendSimplePrice(dst, e.view.Snapshot, c, e.now)
	dst = append(dst, `,"regions":`...)
	dst = wire.AppendActiveRegions(dst, e.view, c)
	dst = append(dst, `,"storeUrl":`...)
	e.Buf = wire.AppendText(dst, c.StoreURL())
	if e.params.related {
		e.encodeRelated(c)
	}
	if e.params.members && c.Type() == catalog.Bundle {
		e.encodeList(`,"members":[`, c.Members())
	}
	e.Buf = append(e.Buf, '}')
}

// encodeRelated appends related[]: the add-ons and then the variants of a
// console card, or the other offers of a PC card; maxRelated in all.
func (e searchEncoder) encodeRelated(c index.Card) {
	e.Buf = append(e.Buf, `,"related":[`...)
	if c.Platform() == catalog.PCStore {
		e.encodeOtherOffers(c)
	} else {
		n := 0
		for _, cards := range [...]index.Cards{c.Related(), c.Variants()} {
			for i := 0; i < cards.Len() && n < maxRelated; i++ {
				if n > 0 {
					e.Buf = append(e.Buf, ',')
				}
				e.Buf = wire.AppendEntry(e.Buf, e.view.Snapshot, cards.At(i), e.now)
				n++
			}
		}
	}
	e.Buf = append(e.Buf, ']')
}

// encodeOtherOffers appends the offers of a PC card but the main one: the
// product whose rows the card shows, which is that of its first active region.
func (e searchEncoder) encodeOtherOffers(c index.Card) {
	main, rows := "", c.Rows()
	for i := range e.view.Active() {
		if row, ok := rows.InRegion(e.view.Active()[i].No); ok {
			main = row.Product()
			break
		}
	}
	n := 0
	for i := 0; i < c.Offers().Len() && n < maxRelated; i++ {
		offer := c.Offers().At(i)
		if offer.ID() == main || !offer.InActive() {
			continue
		}
		if n > 0 {
			e.Buf = append(e.Buf, ',')
		}
		e.Buf = wire.AppendEntry(e.Buf, e.view.Snapshot, offer, e.now)
		n++
	}
}

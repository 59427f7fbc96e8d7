package api

import (
	"net/http"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// consoleCard answers GET /catalog/games/{gameId}.
func (rq *request) consoleCard() error { return rq.card(catalog.ConsoleStore) }

// pcCard answers GET /catalog/pcstore/games/{slug}.
func (rq *request) pcCard() error { return rq.card(catalog.PCStore) }

func (rq *request) card(p catalog.Platform) error {
	if err := rq.params().err(); err != nil {
		return err
	}
	v, err := rq.view()
	if err != nil {
		return err
	}
	c, ok := v.Lookup(p, rq.param)
	if !ok {
		return noCard(v, p, rq.param)
	}
	if rq.unchanged(rq.newTag(rq.tag[:0]).text(c.ID()).number(c.Rev()).number(uint64(v.PassedEnds(rq.now)))) {
		return nil
	}
	return rq.answer(http.StatusOK, func(a *answer) {
		e := cardEncoder{a: a, v: v, now: rq.now}
		a.buf = append(a.buf, `{"ok":true,"data":`...)
		e.card(c)
		a.buf = append(a.buf, `,"meta":{`...)
		a.buf = rq.appendMetaMembers(a.buf)
		a.buf = append(a.buf, `}}`...)
	})
}

// noCard says why there is no card under an id.
func noCard(v *index.View, p catalog.Platform, id string) error {
	successors := v.Moved(id)
	if len(successors) == 0 {
		if err := upstreamProblem(v, p); err != nil {
			return err
		}
	}
	return &problem{code: codeGameNotFound, details: gameDetails{id, successors}}
}

// cardEncoder appends the parts of a card. The lists of families can be long,
// so they go out in pieces.
type cardEncoder struct {
	a   *answer
	v   *index.View
	now int64
}

func (e cardEncoder) card(c index.Card) {
	console := c.Platform() == catalog.ConsoleStore
	dst := append(e.a.buf, `{`...)
	dst = appendIdentity(dst, c)
	dst = append(dst, `,"images":`...)
	dst = appendImages(dst, c)
	dst = append(dst, `,"price":`...)
	dst = appendSimplePrice(dst, e.v.Snapshot, c, e.now)
	if console {
		dst = append(dst, `,"regions":`...)
		dst = appendActiveRegions(dst, e.v, c)
	}
	e.a.buf = appendFacts(dst, c)
	if console {
		e.list(`,"related":[`, c.Related())
		e.list(`,"variants":[`, c.Variants())
	} else {
		e.offers(c)
	}
	e.a.buf = append(appendDetails(e.a.buf, c), '}')
}

// appendIdentity appends the members from id to thumbnail. A PC card is known
// by its slug instead of an id.
func appendIdentity(dst []byte, c index.Card) []byte {
	if c.Platform() == catalog.PCStore {
		dst = append(dst, `"slug":`...)
	} else {
		dst = append(dst, `"id":`...)
	}
	dst = appendText(dst, c.ID())
	dst = append(dst, `,"platform":`...)
	dst = appendText(dst, c.Platform().String())
	dst = append(dst, `,"title":`...)
	dst = appendText(dst, c.Title())
	dst = append(dst, `,"description":`...)
	dst = appendText(dst, c.Description())
	dst = append(dst, `,"type":`...)
	dst = appendText(dst, c.Type().String())
	dst = append(dst, `,"thumbnail":`...)
	return appendText(dst, c.Thumbnail())
}

func appendImages(dst []byte, c index.Card) []byte {
	dst = append(dst, `{"cover":`...)
	dst = appendText(dst, c.Cover())
	if c.Platform() == catalog.PCStore {
		dst = append(dst, `,"logo":`...)
		dst = appendText(dst, c.Logo())
	}
	dst = append(dst, `,"screenshots":`...)
	dst = appendList(dst, c.Screenshots())
	return append(dst, '}')
}

// appendFacts appends the members from releaseDate to storeUrl.
func appendFacts(dst []byte, c index.Card) []byte {
	dst = append(dst, `,"releaseDate":`...)
	dst = appendText(dst, c.ReleaseDate())
	dst = append(dst, `,"publisher":`...)
	dst = appendText(dst, c.Publisher())
	dst = append(dst, `,"developer":`...)
	dst = appendText(dst, c.Developer())
	dst = append(dst, `,"genres":`...)
	dst = appendList(dst, c.Genres())
	dst = append(dst, `,"rating":{"age":`...)
	dst = appendText(dst, c.RatingAge())
	dst = append(dst, `,"system":`...)
	dst = appendText(dst, c.RatingSystem())
	dst = append(dst, `},"storeUrl":`...)
	return appendText(dst, c.StoreURL())
}

func appendDetails(dst []byte, c index.Card) []byte {
	dst = append(dst, `,"details":{"editionName":`...)
	dst = appendTextOrNull(dst, c.EditionName())
	dst = append(dst, `,"platforms":`...)
	dst = appendList(dst, c.Platforms())
	dst = append(dst, `,"invariantName":`...)
	dst = appendText(dst, c.InvariantName())
	dst = append(dst, `,"titleIds":`...)
	dst = appendList(dst, c.TitleIDs())
	return append(dst, '}')
}

// appendActiveRegions appends the active regions that list the card, in
// configured order.
func appendActiveRegions(dst []byte, v *index.View, c index.Card) []byte {
	dst = append(dst, '[')
	rows, first := c.Rows(), true
	for i := range v.Active() {
		region := &v.Active()[i]
		if _, ok := rows.Find(region.No); !ok {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendText(dst, region.Lower)
	}
	return append(dst, ']')
}

func appendList(dst []byte, l index.List) []byte {
	dst = append(dst, '[')
	for i := range l.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendText(dst, l.At(i))
	}
	return append(dst, ']')
}

// list appends a list of cards after its opening.
func (e cardEncoder) list(opening string, cards index.Cards) {
	e.a.buf = append(e.a.buf, opening...)
	for i := range cards.Len() {
		if i > 0 {
			e.a.buf = append(e.a.buf, ',')
		}
		e.a.buf = appendEntry(e.a.buf, e.v.Snapshot, cards.At(i), e.now)
		if !e.a.full() {
			return
		}
	}
	e.a.buf = append(e.a.buf, ']')
}

// offers appends the offers of a PC card that an active region lists.
func (e cardEncoder) offers(c index.Card) {
	e.a.buf = append(e.a.buf, `,"offers":[`...)
	first := true
	for i := range c.Offers().Len() {
		offer := c.Offers().At(i)
		if !offer.InActive() {
			continue
		}
		if !first {
			e.a.buf = append(e.a.buf, ',')
		}
		first = false
		e.a.buf = appendEntry(e.a.buf, e.v.Snapshot, offer, e.now)
		if !e.a.full() {
			return
		}
	}
	e.a.buf = append(e.a.buf, ']')
}

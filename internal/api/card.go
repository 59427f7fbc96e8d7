package api

import (
	"gamedex/internal/api/cards"
	"gamedex/internal/api/respond"
	"gamedex/internal/catalog"
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
		successors := v.Moved(rq.param)
		if len(successors) == 0 && isUnread(v, p) {
			return &problem{code: codeUpstream, details: upstreamDetails{p, retryUpstream}, retryAfter: retryUpstream}
		}
		return &problem{code: codeGameNotFound, details: gameDetails{rq.param, successors}}
	}
	if rq.unchanged(rq.newTag().Text(c.ID()).Number(c.Rev()).Number(uint64(v.PassedEnds(rq.now)))) {
		return nil
	}
	return rq.sendData(func(b *respond.Body) { cards.Encoder{Body: b, View: v, Now: rq.now}.EncodeCard(c) })
}

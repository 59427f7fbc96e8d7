package api

import (
	"net/http"

	"gamedex/internal/api/matches"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/resolve"
)

// resolve answers POST /catalog/resolve.
func (rq *request) resolve() error {
	body, err := rq.takeBody()
	if err != nil {
		return err
	}
	items, err := matches.ReadItems(body)
	if err != nil {
		return err
	}
	v, err := rq.view()
	if err != nil {
		return err
	}
	if err := rq.reserve(int64(len(items)) * matches.ItemMemory); err != nil {
		return err
	}
	r, notFound := resolve.Resolver{View: v}, 0
	for i := range items {
		if err := rq.r.Context().Err(); err != nil {
			return err // nobody waits for the rest
		}
		notFound += items[i].Resolve(&r, i)
	}
	return rq.send(0, http.StatusOK, func(b *respond.Body) {
		b.Buf = append(b.Buf, `{"ok":true,"data":{"items":[`...)
		for i := range items {
			b.Buf = items[i].Append(wire.AppendComma(b.Buf, i))
			if !b.SendChunk() {
				return
			}
		}
		b.Buf = rq.appendMetaMembers(append(b.Buf, `]},"meta":{`...))
		b.Buf = appendIndexMeta(b.Buf, v, unavailablePlatforms(v, 0, notFound))
		b.Buf = append(b.Buf, '}')
	})
}

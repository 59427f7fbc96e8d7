package api

import (
	"cmp"
	"errors"
	"net/http"

	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
)

// wireVersion changes whenever answers made of the same data look different.
const wireVersion = 3

// newTag returns the start of an entity tag for an answer of this route, in
// memory of the request.
func (rq *request) newTag() respond.Tag { return rq.newTagIn("") }

// newTagIn is newTag for an answer in a language; "": none.
func (rq *request) newTagIn(l catalog.Language) respond.Tag {
	route := rq.route.pattern
	if l != "" {
		route += "?lang=" + string(l)
	}
	return rq.tag[:0].Number(wireVersion).Text(route)
}

// unchanged sets the entity tag of the answer, and answers 304 and returns true
// if the client has it. Only GET answers of tagged routes have one.
func (rq *request) unchanged(t respond.Tag) bool {
	if !rq.route.tagged || rq.r.Method == http.MethodPost || !respond.NotModified(rq.w, rq.r, t) {
		return false
	}
	rq.out.Status = http.StatusNotModified
	return true
}

// send answers with a status and what encode appends.
func (rq *request) send(status int, encode func(*respond.Body)) error {
	if err := rq.out.Send(rq.holder(), rq.w, rq.r, status, encode); err != nil {
		return noMemory(err)
	}
	return nil
}

// holder returns on whose behalf the request holds memory: the key's owner, or the
// key if it has none.
func (rq *request) holder() respond.Holder {
	return respond.Holder{Pool: rq.caller.pool, Owner: cmp.Or(rq.key.UserID, rq.key.ID), Small: !rq.route.large}
}

// noMemory returns the problem of a request that found no memory in time.
func noMemory(err error) error {
	if errors.Is(err, respond.ErrOwnerMemory) {
		return unavailable("too many of your own answers are in progress: read them faster, or request fewer at a time", nil)
	}
	return unavailable("too many large answers are in progress", err)
}

// sendData answers 200 with data, which encode appends, inside the envelope.
func (rq *request) sendData(encode func(*respond.Body)) error {
	return rq.sendDataAndMeta("", encode)
}

// sendDataAndMeta is sendData with further members of meta: JSON with a comma before
// each.
func (rq *request) sendDataAndMeta(meta string, encode func(*respond.Body)) error {
	return rq.send(http.StatusOK, func(b *respond.Body) {
		b.Buf = append(b.Buf, `{"ok":true,"data":`...)
		encode(b)
		b.Buf = append(b.Buf, `,"meta":{`...)
		b.Buf = rq.appendMetaMembers(b.Buf)
		b.Buf = append(b.Buf, meta...)
		b.Buf = append(b.Buf, `}}`...)
	})
}

// appendMetaMembers appends what meta holds in every answer to a key: when it
// was made, and the minute window after this request.
func (rq *request) appendMetaMembers(dst []byte) []byte {
	dst = wire.AppendTimestamp(append(dst, `"timestamp":`...), rq.now)
	dst = wire.AppendInt(append(dst, `,"rateLimit":{"limit":`...), int64(rq.windows.Minute.Limit))
	dst = wire.AppendInt(append(dst, `,"remaining":`...), int64(rq.windows.Minute.Remaining))
	dst = wire.AppendTimestamp(append(dst, `,"resetAt":`...), rq.windows.Minute.ResetAt)
	return append(dst, '}')
}

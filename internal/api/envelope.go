package api

import "net/http"

// success answers 200 with data, which encode appends, inside the envelope.
func (rq *request) success(encode func(dst []byte) []byte) error {
	return rq.answer(http.StatusOK, func(a *answer) {
		a.buf = append(a.buf, `{"ok":true,"data":`...)
		a.buf = encode(a.buf)
		a.buf = append(a.buf, `,"meta":{`...)
		a.buf = rq.appendMetaMembers(a.buf)
		a.buf = append(a.buf, `}}`...)
	})
}

// appendMetaMembers appends what meta holds in every answer to a key: when it
// was made, and the minute window after this request.
func (rq *request) appendMetaMembers(dst []byte) []byte {
	dst = append(dst, `"timestamp":`...)
	dst = appendMoment(dst, rq.now)
	dst = append(dst, `,"rateLimit":{"limit":`...)
	dst = appendInt(dst, int64(rq.windows.Minute.Limit))
	dst = append(dst, `,"remaining":`...)
	dst = appendInt(dst, int64(rq.windows.Minute.Remaining))
	dst = append(dst, `,"resetAt":`...)
	dst = appendMoment(dst, rq.windows.Minute.ResetAt)
	return append(dst, '}')
}

package api

import (
	"net/http"
	"strconv"
	"time"
)

// health answers GET /health: healthy while there is an index. It reads no
// key and no parameter.
func (rq *request) health() error {
	status, word := http.StatusOK, "healthy"
	if rq.api.cfg.Live.View() == nil {
		status, word = http.StatusServiceUnavailable, "starting"
		rq.w.Header().Set("Retry-After", strconv.Itoa(retryUnavailable))
	}
	uptime := max(0, time.UnixMilli(rq.now).Sub(rq.api.started))
	return rq.answer(status, func(a *answer) {
		dst := append(a.buf, `{"ok":`...)
		dst = appendBool(dst, status == http.StatusOK)
		dst = append(dst, `,"status":`...)
		dst = appendString(dst, word)
		dst = append(dst, `,"version":`...)
		dst = appendString(dst, rq.api.cfg.Version)
		dst = append(dst, `,"uptime":`...)
		dst = appendInt(dst, int64(uptime/time.Second))
		a.buf = append(dst, '}')
	})
}

package api

import (
	"net/http"
	"strconv"
	"time"

	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
)

// health answers GET /health: healthy while there is an index. It needs no key
// and reads no parameter.
func (rq *request) health() error {
	status, word := http.StatusOK, "healthy"
	if rq.api.cfg.Live.View() == nil {
		status, word = http.StatusServiceUnavailable, "starting"
		rq.w.Header().Set("Retry-After", strconv.Itoa(retryUnavailable))
	}
	uptime := max(0, time.UnixMilli(rq.now).Sub(rq.api.started))
	return rq.send(status, func(b *respond.Body) {
		dst := append(b.Buf, `{"ok":`...)
		dst = strconv.AppendBool(dst, status == http.StatusOK)
		dst = append(dst, `,"status":`...)
		dst = wire.AppendString(dst, word)
		dst = append(dst, `,"version":`...)
		dst = wire.AppendString(dst, rq.api.cfg.Version)
		dst = append(dst, `,"uptime":`...)
		dst = wire.AppendInt(dst, int64(uptime/time.Second))
		b.Buf = append(dst, '}')
	})
}

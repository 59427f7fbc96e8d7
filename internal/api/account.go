package api

import (
	"context"
	"time"

	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/quota"
)

// me answers GET /account/me with the record of the calling key.
func (rq *request) me() error {
	if err := rq.params().Err(); err != nil {
		return err
	}
	return rq.sendData(func(b *respond.Body) {
		k := rq.key
		dst := wire.AppendString(append(b.Buf, `{"keyId":`...), k.ID)
		dst = wire.AppendString(append(dst, `,"name":`...), k.Name)
		dst = wire.AppendString(append(dst, `,"status":`...), string(k.Status(rq.now)))
		dst = wire.AppendTimestamp(append(dst, `,"createdAt":`...), k.CreatedAt)
		dst = wire.AppendTimestampOrNull(append(dst, `,"expiresAt":`...), k.ExpiresAt)
		dst = wire.AppendTimestamp(append(dst, `,"lastUsedAt":`...), rq.now) // by this request
		dst = wire.AppendStrings(append(dst, `,"permissions":`...), k.Permissions.List())
		b.Buf = append(dst, '}')
	})
}

// historyTimeout bounds the wait for a database that is silent.
const historyTimeout = 5 * time.Second

// usage answers GET /account/usage. All counts include this request, which enters
// the history only when it is answered.
func (rq *request) usage() error {
	if err := rq.params().Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(rq.r.Context(), historyTimeout)
	defer cancel()
	past, err := rq.api.cfg.Usage.History(ctx, rq.key.ID, rq.now)
	if err != nil {
		return unavailable("the usage history cannot be read right now", err)
	}
	return rq.sendData(func(b *respond.Body) {
		dst := append(b.Buf, `{"minute":`...)
		dst = appendWindow(dst, rq.windows.Minute)
		dst = append(dst, `,"day":`...)
		dst = appendWindow(dst, rq.windows.Day)
		dst = wire.AppendInt(append(dst, `,"history":{"last24h":`...), past.Last24h+1)
		dst = wire.AppendInt(append(dst, `,"last7d":`...), past.Last7d+1)
		dst = wire.AppendInt(append(dst, `,"last30d":`...), past.Last30d+1)
		b.Buf = append(dst, `}}`...)
	})
}

func appendWindow(dst []byte, w quota.Window) []byte {
	dst = wire.AppendInt(append(dst, `{"limit":`...), int64(w.Limit))
	dst = wire.AppendInt(append(dst, `,"used":`...), int64(w.Used))
	dst = wire.AppendInt(append(dst, `,"remaining":`...), int64(w.Remaining))
	dst = wire.AppendTimestamp(append(dst, `,"resetAt":`...), w.ResetAt)
	return append(dst, '}')
}

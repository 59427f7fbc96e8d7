package api

import (
	"gamedex/internal/account"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/quota"
)

// me answers GET /account/me: the record of the calling key.
func (rq *request) me() error {
	if err := rq.params().err(); err != nil {
		return err
	}
	return rq.sendData(func(b *respond.Body) { b.Buf = appendKey(b.Buf, rq.key, rq.now) })
}

// appendKey appends a key record. This request is the last use of the key.
func appendKey(dst []byte, k account.Key, now int64) []byte {
	dst = append(dst, `{"keyId":`...)
	dst = wire.AppendString(dst, k.ID)
	dst = append(dst, `,"name":`...)
	dst = wire.AppendString(dst, k.Name)
	dst = append(dst, `,"status":`...)
	dst = wire.AppendString(dst, string(k.Status(now)))
	dst = append(dst, `,"createdAt":`...)
	dst = wire.AppendMoment(dst, k.CreatedAt)
	dst = append(dst, `,"expiresAt":`...)
	dst = wire.AppendMomentOrNull(dst, k.ExpiresAt)
	dst = append(dst, `,"lastUsedAt":`...)
	dst = wire.AppendMoment(dst, now)
	dst = append(dst, `,"permissions":`...)
	dst = wire.AppendStrings(dst, k.Permissions.List())
	return append(dst, '}')
}

// usage answers GET /account/usage. All counts include this request, which enters
// the history only when it is answered.
func (rq *request) usage() error {
	if err := rq.params().err(); err != nil {
		return err
	}
	past, err := rq.api.cfg.Usage.History(rq.r.Context(), rq.key.ID, rq.now)
	if err != nil {
		return unavailable("the usage history cannot be read right now", err)
	}
	return rq.sendData(func(b *respond.Body) {
		dst := append(b.Buf, `{"minute":`...)
		dst = appendWindow(dst, rq.windows.Minute)
		dst = append(dst, `,"day":`...)
		dst = appendWindow(dst, rq.windows.Day)
		dst = append(dst, `,"history":{"last24h":`...)
		dst = wire.AppendInt(dst, past.Last24h+1)
		dst = append(dst, `,"last7d":`...)
		dst = wire.AppendInt(dst, past.Last7d+1)
		dst = append(dst, `,"last30d":`...)
		dst = wire.AppendInt(dst, past.Last30d+1)
		b.Buf = append(dst, `}}`...)
	})
}

func appendWindow(dst []byte, w quota.Window) []byte {
	dst = append(dst, `{"limit":`...)
	dst = wire.AppendInt(dst, int64(w.Limit))
	dst = append(dst, `,"used":`...)
	dst = wire.AppendInt(dst, int64(w.Used))
	dst = append(dst, `,"remaining":`...)
	dst = wire.AppendInt(dst, int64(w.Remaining))
	dst = append(dst, `,"resetAt":`...)
	dst = wire.AppendMoment(dst, w.ResetAt)
	return append(dst, '}')
}

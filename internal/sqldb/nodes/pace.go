package nodes

import (
	"context"
	"fmt"
	"time"

	"gamedex/internal/sqldb/engine"
)

// farAhead is the most microseconds by which the next request to a host may be
// ahead. A larger value comes from a wrong clock and would stop all requests.
const farAhead = int64(3600 * 1e6)

// ReserveRequests implements upstream.Pacer, by the database's clock: processes whose clocks
// differ keep one pace.
func (repo *Repository) ReserveRequests(ctx context.Context, host string, n int, every time.Duration) (wait time.Duration, err error) {
	if n < 1 || every < 0 {
		return 0, fmt.Errorf("reserve requests to %s: %d of them, every %v", host, n, every)
	}
	span := int64(n) * every.Microseconds()
	err = repo.db.Write(ctx, "reserve requests to "+host, func(t *engine.Tx) error {
		nowMillis, err := t.Now(ctx)
		if err != nil {
			return err
		}
		var next int64
		now := nowMillis * 1000
		_, err = t.FindRow(ctx, `INSERT INTO request_pace (host, next_at) VALUES ($1, $2)
			ON CONFLICT (host) DO UPDATE SET next_at = $3 +
			CASE WHEN request_pace.next_at > $4 AND request_pace.next_at < $5 THEN request_pace.next_at ELSE $4 END
			RETURNING next_at`, []any{host, now + span, span, now, now + farAhead}, []any{&next})
		wait = time.Duration(next-span-now) * time.Microsecond
		return err
	})
	return wait, err
}

package nodes

import (
	"context"
	"fmt"

	"gamedex/internal/sqldb"
)

// farAhead is the most microseconds by which the next request to a host may be
// ahead. A larger value comes from a wrong clock and would stop all requests.
const farAhead = int64(3600 * 1e6)

// ReserveRequests reserves the moments of n requests to a host: the first at
// firstMicros (Unix microseconds), each of the others everyMicros after the one
// before. No other process gets any of them.
func (store *Store) ReserveRequests(ctx context.Context, host string, n int, nowMicros, everyMicros int64) (firstMicros int64, err error) {
	if n < 1 || everyMicros < 0 {
		return 0, fmt.Errorf("reserve requests to %s: %d of them, every %d µs", host, n, everyMicros)
	}
	span := int64(n) * everyMicros
	err = store.db.Write(ctx, "reserve requests to "+host, func(t *sqldb.Tx) error {
		var next int64
		_, err := t.FindRow(ctx, `INSERT INTO request_pace (host, next_at) VALUES ($1, $2)
			ON CONFLICT (host) DO UPDATE SET next_at = $3 +
			CASE WHEN request_pace.next_at > $4 AND request_pace.next_at < $5 THEN request_pace.next_at ELSE $4 END
			RETURNING next_at`, []any{host, nowMicros + span, span, nowMicros, nowMicros + farAhead}, []any{&next})
		firstMicros = next - span
		return err
	})
	return firstMicros, err
}

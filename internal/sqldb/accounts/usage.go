package accounts

import (
	"context"
	"database/sql"

	"gamedex/internal/quota"
	"gamedex/internal/sqldb"
)

var upsertUsage = sqldb.InsertInto("usage", "key_id, hour, route, outcome, run, count",
	"ON CONFLICT (key_id, hour, route, outcome, run) DO UPDATE SET count = excluded.count")

// SaveUsage stores rows, each in the place of the one with the same other
// fields; see quota.Store.
func (store *Store) SaveUsage(ctx context.Context, rows []quota.UsageRow) error {
	return store.db.Write(ctx, "save usage", func(t *sqldb.Tx) error {
		return t.InsertRows(ctx, upsertUsage, len(rows), func(args []any, i int) []any {
			r := &rows[i]
			return append(args, r.KeyID, r.Hour, r.Route, string(r.Outcome), r.Run, r.Count)
		})
	})
}

const sumUsage = `SELECT hour, SUM(count) FROM usage
	WHERE key_id = $1 AND hour >= $2 AND outcome <> $3 AND (run <> $4 OR hour < $5) GROUP BY hour`

// SumUsage returns a key's requests by hour, refused ones left out, and of the
// run ownRun only those before the hour ownBefore; see quota.Store.
func (store *Store) SumUsage(ctx context.Context, keyID string, sinceHour int64, ownRun string, ownBefore int64) ([]quota.HourCount, error) {
	var hours []quota.HourCount
	args := []any{keyID, sinceHour, string(quota.OutcomeRefused), ownRun, ownBefore}
	err := store.db.Query(ctx, "sum usage", sumUsage, args, func(rows *sql.Rows) error {
		var h quota.HourCount
		err := rows.Scan(&h.Hour, &h.Count)
		hours = append(hours, h)
		return err
	})
	return hours, err
}

const usageByHour = `SELECT hour, route, outcome, SUM(count) FROM usage
	WHERE hour >= ? AND key_id IN (?...) GROUP BY hour, route, outcome`

// UsageByHour returns what keys were used for since an hour, in any order: the
// requests on a route with an outcome, refused ones included, summed over runs
// and keys. KeyID and Run of the rows are empty.
func (store *Store) UsageByHour(ctx context.Context, keyIDs []string, sinceHour int64) ([]quota.UsageRow, error) {
	keys := make([]any, len(keyIDs))
	for i, id := range keyIDs {
		keys[i] = id
	}
	sums := make(map[quota.UsageRow]int64) // of rows whose Count is 0
	err := sqldb.EachList(usageByHour, []any{sinceHour}, keys, func(text string, args []any) error {
		return store.db.Query(ctx, "sum usage by hour", text, args, func(rows *sql.Rows) error {
			var r quota.UsageRow
			var count int64
			err := rows.Scan(&r.Hour, &r.Route, &r.Outcome, &count)
			sums[r] += count
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	usage := make([]quota.UsageRow, 0, len(sums))
	for r, count := range sums {
		r.Count = count
		usage = append(usage, r)
	}
	return usage, nil
}

// foldUsage leaves alone what one row holds already, which is nearly all.
const foldUsage = `INSERT INTO usage (key_id, hour, route, outcome, run, count)
	SELECT key_id, hour, route, outcome, '', SUM(count) FROM usage
	WHERE (key_id, hour, route, outcome) IN (SELECT key_id, hour, route, outcome FROM usage WHERE hour < $1 AND run <> '')
	GROUP BY key_id, hour, route, outcome
	ON CONFLICT (key_id, hour, route, outcome, run) DO UPDATE SET count = excluded.count`

// FoldUsage makes one row of the rows of all runs, for the hours before hour:
// sums stay as they are. No run may save a row of those hours afterwards.
func (store *Store) FoldUsage(ctx context.Context, hour int64) error {
	return store.db.Write(ctx, "fold usage", func(t *sqldb.Tx) error {
		if _, err := t.Exec(ctx, foldUsage, hour); err != nil {
			return err
		}
		_, err := t.Exec(ctx, "DELETE FROM usage WHERE hour < $1 AND run <> ''", hour)
		return err
	})
}

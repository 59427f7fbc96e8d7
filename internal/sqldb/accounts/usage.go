package accounts

import (
	"context"

	"gamedex/internal/quota"
	"gamedex/internal/sqldb"
)

var upsertUsage = sqldb.Insert{Table: "usage", Columns: "key_id, hour, route, outcome, run, count",
	Then: "ON CONFLICT (key_id, hour, route, outcome, run) DO UPDATE SET count = excluded.count"}

// SaveUsage stores rows. Each replaces the count of the row whose other fields
// are the same; see quota.Store.
func (store *Store) SaveUsage(ctx context.Context, rows []quota.UsageRow) error {
	return store.db.Write(ctx, "save usage", func(t *sqldb.Tx) error {
		_, err := t.InsertRows(ctx, &upsertUsage, len(rows), func(args []any, i int) []any {
			r := &rows[i]
			return append(args, r.KeyID, r.Hour, r.Route, string(r.Outcome), r.Run, r.Count)
		})
		return err
	})
}

const sumUsage = `SELECT hour, CAST(SUM(count) AS BIGINT) FROM usage
	WHERE key_id = $1 AND hour >= $2 AND outcome <> $3 AND (run <> $4 OR hour < $5) GROUP BY hour`

// SumUsage returns a key's requests by hour without refused ones, and of ownRun
// only those before the hour ownBefore; see quota.Store.
func (store *Store) SumUsage(ctx context.Context, keyID string, sinceHour int64, ownRun string, ownBefore int64) ([]quota.HourCount, error) {
	args := []any{keyID, sinceHour, string(quota.OutcomeRefused), ownRun, ownBefore}
	return sqldb.List(ctx, store.db, "sum usage", sumUsage, args, func(rows sqldb.Rows, h *quota.HourCount) error {
		return rows.Scan(&h.Hour, &h.Count)
	})
}

const usageByHour = `SELECT hour, route, outcome, CAST(SUM(count) AS BIGINT) FROM usage
	WHERE hour >= $1 AND key_id = ANY($2) GROUP BY hour, route, outcome`

// UsageByHour returns the requests of keys since an hour, in any order: for each
// route and outcome, refused ones included, the sum over runs and keys. KeyID
// and Run of the rows are empty.
func (store *Store) UsageByHour(ctx context.Context, keyIDs []string, sinceHour int64) ([]quota.UsageRow, error) {
	sums := make(map[quota.UsageRow]int64) // of rows whose Count is 0
	err := store.db.Query(ctx, "sum usage by hour", usageByHour, []any{sinceHour, keyIDs}, func(rows sqldb.Rows) error {
		var r quota.UsageRow
		var count int64
		err := rows.Scan(&r.Hour, &r.Route, &r.Outcome, &count)
		sums[r] += count
		return err
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

// foldUsage skips hours that are already one row, as nearly all are.
const foldUsage = `INSERT INTO usage (key_id, hour, route, outcome, run, count)
	SELECT key_id, hour, route, outcome, '', SUM(count) FROM usage
	WHERE (key_id, hour, route, outcome) IN (SELECT key_id, hour, route, outcome FROM usage WHERE hour < $1 AND run <> '')
	GROUP BY key_id, hour, route, outcome
	ON CONFLICT (key_id, hour, route, outcome, run) DO UPDATE SET count = excluded.count`

// FoldUsage merges the rows of all runs, for the hours before hour; sums do not
// change. No run may save a row of those hours afterwards.
func (store *Store) FoldUsage(ctx context.Context, hour int64) error {
	return store.db.Write(ctx, "fold usage", func(t *sqldb.Tx) error {
		if _, err := t.Exec(ctx, foldUsage, hour); err != nil {
			return err
		}
		_, err := t.Exec(ctx, "DELETE FROM usage WHERE hour < $1 AND run <> ''", hour)
		return err
	})
}

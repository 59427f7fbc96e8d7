package accounts

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/quota"
	"gamedex/internal/sqldb/engine"
)

// nextBatch changes nothing if the number of a batch, or a higher one, is stored.
const nextBatch = `INSERT INTO usage_run (run, number, at) VALUES ($1, $2, $3)
	ON CONFLICT (run) DO UPDATE SET number = excluded.number, at = excluded.at WHERE usage_run.number < excluded.number`

var addUsage = engine.Insert{Table: "usage", Columns: "key_id, hour, route, outcome, count",
	Then: "ON CONFLICT (key_id, hour, route, outcome) DO UPDATE SET count = usage.count + excluded.count"}

// SaveUsage implements [quota.Repository].
func (repo *Repository) SaveUsage(ctx context.Context, b quota.UsageBatch) error {
	return repo.db.Write(ctx, "save usage", func(t *engine.Tx) error {
		next, err := t.Exec(ctx, nextBatch, b.Run, b.Number, b.At)
		if err != nil || next == 0 {
			return err
		}
		_, err = t.InsertRows(ctx, &addUsage, len(b.Rows), func(args []any, i int) []any {
			r := &b.Rows[i]
			return append(args, r.KeyID, r.Hour, r.Route, string(r.Outcome), r.Count)
		})
		return err
	})
}

const (
	sumUsage = `SELECT hour, CAST(SUM(count) AS BIGINT) FROM usage
	WHERE key_id = $1 AND hour >= $2 AND outcome <> $3 GROUP BY hour`
	lastBatch = "SELECT number FROM usage_run WHERE run = $1"
)

// SumUsage implements [quota.Repository].
func (repo *Repository) SumUsage(ctx context.Context, keyID string, sinceHour int64, run string) (hours []quota.HourCount, stored int64, err error) {
	err = repo.db.Read(ctx, "sum usage", func(q engine.Querier) error {
		if _, err := engine.FindIn(ctx, q, lastBatch, []any{run}, &stored); err != nil {
			return err
		}
		args := []any{keyID, sinceHour, string(quota.OutcomeRefused)}
		hours, err = engine.ListIn(ctx, q, sumUsage, args, func(rows engine.Rows, h *quota.HourCount) error { return rows.Scan(&h.Hour, &h.Count) })
		return err
	})
	return hours, stored, err
}

const (
	countRequests = `SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM usage
	WHERE hour >= $2 AND outcome <> $3 AND key_id = $1`
	countRequestsOf = `SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM usage
	WHERE hour >= $2 AND outcome <> $3 AND key_id IN (SELECT id FROM api_key WHERE user_id = $1)`
)

// CountRequests returns how many requests of a key, or of all keys of a user, are stored
// since an hour, without refused ones.
func (repo *Repository) CountRequests(ctx context.Context, id string, user bool, sinceHour int64) (int, error) {
	text, n := countRequests, 0
	if user {
		text = countRequestsOf
	}
	_, err := repo.db.FindRow(ctx, "count requests", text, []any{id, sinceHour, string(quota.OutcomeRefused)}, []any{&n})
	return n, err
}

const usageByHour = `SELECT hour, route, outcome, CAST(SUM(count) AS BIGINT) FROM usage
	WHERE hour >= $1 AND key_id = ANY($2) GROUP BY hour, route, outcome`

// UsageByHour returns the requests of keys since an hour, in any order: for each
// route and outcome, refused ones included, the sum over keys. KeyID of
// the rows is empty.
func (repo *Repository) UsageByHour(ctx context.Context, keyIDs []string, sinceHour int64) ([]quota.UsageRow, error) {
	return engine.List(ctx, repo.db, "sum usage by hour", usageByHour, []any{sinceHour, keyIDs}, func(rows engine.Rows, r *quota.UsageRow) error {
		return rows.Scan(&r.Hour, &r.Route, &r.Outcome, &r.Count)
	})
}

const forgetRuns = "DELETE FROM usage_run WHERE at < $1"

// ForgetRuns deletes the numbers of runs that added nothing since a time. None of them
// may have a batch that was saved before it and is sent again.
func (repo *Repository) ForgetRuns(ctx context.Context, before int64) error {
	_, err := repo.db.Exec(ctx, "forget runs", forgetRuns, before)
	return err
}

// upsertQuota ignores a minute that is a little older, and keeps the higher count
// of the same minute.
var upsertQuota = engine.Insert{Table: "quota_state", Columns: "key_id, minute, minute_used, day_used", Then: `ON CONFLICT (key_id) DO UPDATE SET
	minute = excluded.minute,
	minute_used = CASE WHEN quota_state.minute = excluded.minute AND quota_state.minute_used > excluded.minute_used
		THEN quota_state.minute_used ELSE excluded.minute_used END,
	day_used = CASE WHEN quota_state.minute = excluded.minute AND quota_state.day_used > excluded.day_used
		THEN quota_state.day_used ELSE excluded.day_used END
	WHERE excluded.minute >= quota_state.minute OR excluded.minute < quota_state.minute - ` + strconv.Itoa(quota.MaxAhead)}

// SaveQuota stores the used quota of keys and owners, one state for each; see
// quota.Repository. The ids of both are in one column: those of users have a prefix.
func (repo *Repository) SaveQuota(ctx context.Context, states []quota.State) error {
	states = slices.SortedFunc(slices.Values(states), func(a, b quota.State) int { return strings.Compare(a.ID, b.ID) })
	return repo.db.Write(ctx, "save quota", func(t *engine.Tx) error {
		_, err := t.InsertRows(ctx, &upsertQuota, len(states), func(args []any, i int) []any {
			s := &states[i]
			return append(args, s.ID, s.Minute, s.MinuteUsed, s.DayUsed)
		})
		return err
	})
}

// LoadQuota implements [quota.Repository].
func (repo *Repository) LoadQuota(ctx context.Context, sinceMinute int64) ([]quota.State, error) {
	const text = "SELECT key_id, minute, minute_used, day_used FROM quota_state WHERE minute >= $1"
	return engine.List(ctx, repo.db, "load quota", text, []any{sinceMinute}, func(rows engine.Rows, s *quota.State) error {
		err := rows.Scan(&s.ID, &s.Minute, &s.MinuteUsed, &s.DayUsed)
		s.Owner = account.IsUserID(s.ID)
		return err
	})
}

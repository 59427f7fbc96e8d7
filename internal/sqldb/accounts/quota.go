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

// LoadQuota returns the states of minute sinceMinute and later.
func (repo *Repository) LoadQuota(ctx context.Context, sinceMinute int64) ([]quota.State, error) {
	const text = "SELECT key_id, minute, minute_used, day_used FROM quota_state WHERE minute >= $1"
	return engine.List(ctx, repo.db, "load quota", text, []any{sinceMinute}, func(rows engine.Rows, s *quota.State) error {
		err := rows.Scan(&s.ID, &s.Minute, &s.MinuteUsed, &s.DayUsed)
		s.Owner = account.IsUserID(s.ID)
		return err
	})
}

package listings

import (
	"context"
	"database/sql"

	"gamedex/internal/catalog"
)

// SavedTotals counts what became of all listings that were ever given to Save,
// by whichever process.
func (store *Store) SavedTotals(ctx context.Context) (catalog.SaveCounts, error) {
	counts := map[string]int{}
	err := store.db.Query(ctx, "read save totals", "SELECT effect, count FROM saved_total", nil, func(rows *sql.Rows) error {
		var effect string
		var count int
		err := rows.Scan(&effect, &count)
		counts[effect] = count
		return err
	})
	return catalog.SaveCounts{
		New: counts[catalog.New.String()], Changed: counts[catalog.Changed.String()],
		Unchanged: counts[catalog.Unchanged.String()], Older: counts[catalog.Older.String()],
	}, err
}

// AddTotals adds the counts of s to the totals, in its transaction.
func (s *Saving) AddTotals(ctx context.Context) error {
	c := s.Counts
	_, err := s.tx.Exec(ctx, `UPDATE saved_total SET count = count + CASE effect
		WHEN 'new' THEN $1 WHEN 'changed' THEN $2 WHEN 'unchanged' THEN $3 WHEN 'older' THEN $4 ELSE 0 END`,
		c.New, c.Changed, c.Unchanged, c.Older)
	return err
}

package nodes

import (
	"context"

	"gamedex/internal/sqldb/engine"
)

// Seq returns the number of the newest publication; 0 before any.
func (repo *Repository) Seq(ctx context.Context) (int64, error) {
	var seq int64
	_, err := repo.db.FindRow(ctx, "read publication", "SELECT seq FROM publication", nil, []any{&seq})
	return seq, err
}

// Advance raises the number from seq to seq+1 if it still is seq. Of several calls
// with the same number, only one succeeds.
func (repo *Repository) Advance(ctx context.Context, seq int64) (won bool, err error) {
	changed, err := repo.db.Exec(ctx, "advance publication", "UPDATE publication SET seq = seq + 1 WHERE seq = $1", seq)
	return changed > 0, err
}

// Raise sets the number to seq if it is lower, and returns it.
func (repo *Repository) Raise(ctx context.Context, seq int64) (now int64, err error) {
	err = repo.db.Write(ctx, "raise publication", func(t *engine.Tx) error {
		if _, err := t.Exec(ctx, "UPDATE publication SET seq = $1 WHERE seq < $1", seq); err != nil {
			return err
		}
		_, err := t.FindRow(ctx, "SELECT seq FROM publication", nil, []any{&now})
		return err
	})
	return now, err
}

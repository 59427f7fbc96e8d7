package nodes

import (
	"context"

	"gamedex/internal/sqldb"
)

// Seq is the number of the newest publication; 0 before any.
func (store *Store) Seq(ctx context.Context) (int64, error) {
	var seq int64
	_, err := store.db.FindRow(ctx, "read publication", "SELECT seq FROM publication", nil, []any{&seq})
	return seq, err
}

// Advance moves the number from seq to seq+1, if it still is seq. Of all who
// try with the same number one wins.
func (store *Store) Advance(ctx context.Context, seq int64) (won bool, err error) {
	err = store.db.Write(ctx, "advance publication", func(t *sqldb.Tx) error {
		won, err = t.ExecAffects(ctx, "UPDATE publication SET seq = seq + 1 WHERE seq = $1", seq)
		return err
	})
	return won && err == nil, err
}

// Raise moves the number to seq, if it is lower, and returns the number.
func (store *Store) Raise(ctx context.Context, seq int64) (now int64, err error) {
	err = store.db.Write(ctx, "raise publication", func(t *sqldb.Tx) error {
		if _, err := t.Exec(ctx, "UPDATE publication SET seq = $1 WHERE seq < $1", seq); err != nil {
			return err
		}
		_, err := t.FindRow(ctx, "SELECT seq FROM publication", nil, []any{&now})
		return err
	})
	return now, err
}

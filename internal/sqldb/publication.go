package sqldb

import "context"

// Seq is the number of the newest publication; 0 before any.
func (db *DB) Seq(ctx context.Context) (int64, error) {
	var seq int64
	_, err := db.find(ctx, "read publication", "SELECT seq FROM publication", nil, []any{&seq})
	return seq, err
}

// Advance moves the number from seq to seq+1, if it still is seq. Of all who
// try with the same number one wins.
func (db *DB) Advance(ctx context.Context, seq int64) (won bool, err error) {
	err = db.write(ctx, "advance publication", func(t *tx) error {
		won, err = t.affects(ctx, "UPDATE publication SET seq = seq + 1 WHERE seq = $1", seq)
		return err
	})
	return won && err == nil, err
}

// Raise moves the number to seq, if it is lower, and returns the number.
func (db *DB) Raise(ctx context.Context, seq int64) (now int64, err error) {
	err = db.write(ctx, "raise publication", func(t *tx) error {
		if _, err := t.exec(ctx, "UPDATE publication SET seq = $1 WHERE seq < $1", seq); err != nil {
			return err
		}
		_, err := t.find(ctx, "SELECT seq FROM publication", nil, []any{&now})
		return err
	})
	return now, err
}

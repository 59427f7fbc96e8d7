package sqldb

import (
	"context"

	"gamedex/internal/account"
)

var upsertSession = insertInto("session", "id, user_id, body, expires_at", `ON CONFLICT (id) DO UPDATE SET
	user_id = excluded.user_id, body = excluded.body, expires_at = excluded.expires_at`)

// SaveSession stores a session, in the place of the one with the same id.
func (db *DB) SaveSession(ctx context.Context, s account.Session) error {
	return db.write(ctx, "save session", func(t *tx) error {
		_, err := t.exec(ctx, upsertSession.one, s.ID, s.UserID, append([]byte{}, s.Body...), s.ExpiresAt)
		return err
	})
}

// RenewSession stores what a session is now, unless it was ended: then alive is
// false, and it stays ended.
func (db *DB) RenewSession(ctx context.Context, s account.Session) (alive bool, err error) {
	err = db.write(ctx, "renew session", func(t *tx) error {
		alive, err = t.affects(ctx, "UPDATE session SET user_id = $2, body = $3, expires_at = $4 WHERE id = $1",
			s.ID, s.UserID, append([]byte{}, s.Body...), s.ExpiresAt)
		return err
	})
	return alive && err == nil, err
}

// FindSession gives a session that has not expired at now; found is false
// without one.
func (db *DB) FindSession(ctx context.Context, id string, now int64) (s account.Session, found bool, err error) {
	const text = "SELECT id, user_id, body, expires_at FROM session WHERE id = $1 AND expires_at > $2"
	found, err = db.find(ctx, "find session", text, []any{id, now}, []any{&s.ID, &s.UserID, &s.Body, &s.ExpiresAt})
	if err != nil {
		return account.Session{}, false, err
	}
	return s, found, nil
}

// DeleteSession ends a session, if there is one.
func (db *DB) DeleteSession(ctx context.Context, id string) error {
	return db.write(ctx, "delete session", func(t *tx) error {
		_, err := t.exec(ctx, "DELETE FROM session WHERE id = $1", id)
		return err
	})
}

// rowsPerBatch is how many rows a transaction takes of work that can wait, so
// that others wait milliseconds for it.
const rowsPerBatch = 500

const (
	deleteSessions = "DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires_at <= $1 LIMIT $2)"
	deleteLinks    = "DELETE FROM link WHERE hash IN (SELECT hash FROM link WHERE expires_at <= $1 LIMIT $2)"
)

// DeleteExpired deletes the sessions and links that are over at now, a few
// hundred in one transaction.
func (db *DB) DeleteExpired(ctx context.Context, now int64) error {
	if _, err := db.deleteBatches(ctx, "delete expired sessions", deleteSessions, now); err != nil {
		return err
	}
	_, err := db.deleteBatches(ctx, "delete expired links", deleteLinks, now)
	return err
}

// deleteBatches runs a statement that deletes what is of a moment, at most $2
// rows at once, until it finds fewer, and counts all of them.
func (db *DB) deleteBatches(ctx context.Context, what, text string, moment int64) (deleted int64, err error) {
	for {
		n := int64(0)
		err := db.write(ctx, what, func(t *tx) error {
			result, err := t.exec(ctx, text, moment, rowsPerBatch)
			if err == nil {
				n, err = result.RowsAffected()
			}
			return err
		})
		if err != nil {
			return deleted, err
		}
		if deleted += n; n < rowsPerBatch {
			return deleted, nil
		}
	}
}

package accounts

import (
	"context"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
)

var upsertSession = sqldb.InsertInto("session", "id, user_id, body, expires_at", `ON CONFLICT (id) DO UPDATE SET
	user_id = excluded.user_id, body = excluded.body, expires_at = excluded.expires_at`)

// SaveSession stores a session, in the place of the one with the same id.
func (store *Store) SaveSession(ctx context.Context, s account.Session) error {
	return store.db.Write(ctx, "save session", func(t *sqldb.Tx) error {
		_, err := t.Exec(ctx, upsertSession.One, s.ID, s.UserID, append([]byte{}, s.Body...), s.ExpiresAt)
		return err
	})
}

// RenewSession stores what a session is now, unless it was ended: then alive is
// false, and it stays ended.
func (store *Store) RenewSession(ctx context.Context, s account.Session) (alive bool, err error) {
	err = store.db.Write(ctx, "renew session", func(t *sqldb.Tx) error {
		alive, err = t.ExecAffects(ctx, "UPDATE session SET user_id = $2, body = $3, expires_at = $4 WHERE id = $1",
			s.ID, s.UserID, append([]byte{}, s.Body...), s.ExpiresAt)
		return err
	})
	return alive && err == nil, err
}

// FindSession returns a session that has not expired at now; found is false
// without one.
func (store *Store) FindSession(ctx context.Context, id string, now int64) (s account.Session, found bool, err error) {
	const text = "SELECT id, user_id, body, expires_at FROM session WHERE id = $1 AND expires_at > $2"
	found, err = store.db.FindRow(ctx, "find session", text, []any{id, now}, []any{&s.ID, &s.UserID, &s.Body, &s.ExpiresAt})
	if err != nil {
		return account.Session{}, false, err
	}
	return s, found, nil
}

// DeleteSession ends a session, if there is one.
func (store *Store) DeleteSession(ctx context.Context, id string) error {
	return store.db.Write(ctx, "delete session", func(t *sqldb.Tx) error {
		_, err := t.Exec(ctx, "DELETE FROM session WHERE id = $1", id)
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
func (store *Store) DeleteExpired(ctx context.Context, now int64) error {
	if _, err := store.deleteBatches(ctx, "delete expired sessions", deleteSessions, now); err != nil {
		return err
	}
	_, err := store.deleteBatches(ctx, "delete expired links", deleteLinks, now)
	return err
}

// deleteBatches runs a statement that deletes what is of a moment, at most $2
// rows at once, until it finds fewer, and counts all of them.
func (store *Store) deleteBatches(ctx context.Context, what, text string, moment int64) (deleted int64, err error) {
	for {
		n := int64(0)
		err := store.db.Write(ctx, what, func(t *sqldb.Tx) error {
			result, err := t.Exec(ctx, text, moment, rowsPerBatch)
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

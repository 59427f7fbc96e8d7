package accounts

import (
	"context"

	"gamedex/internal/account"
)

const upsertSession = `INSERT INTO session (id, user_id, body, expires_at) VALUES ($1, $2, $3, $4)
	ON CONFLICT (id) DO UPDATE SET user_id = excluded.user_id, body = excluded.body, expires_at = excluded.expires_at`

// SaveSession stores a session. It replaces one with the same id.
func (repo *Repository) SaveSession(ctx context.Context, s account.Session) error {
	_, err := repo.db.Exec(ctx, "save session", upsertSession, s.ID, s.UserID, append([]byte{}, s.Body...), s.ExpiresAt)
	return err
}

// RenewSession updates a session. alive is false if it has ended meanwhile.
func (repo *Repository) RenewSession(ctx context.Context, s account.Session) (alive bool, err error) {
	const text = "UPDATE session SET user_id = $2, body = $3, expires_at = $4 WHERE id = $1"
	changed, err := repo.db.Exec(ctx, "renew session", text, s.ID, s.UserID, append([]byte{}, s.Body...), s.ExpiresAt)
	return changed > 0, err
}

// FindSession returns a session that has not expired at now; found is false
// without one.
func (repo *Repository) FindSession(ctx context.Context, id string, now int64) (s account.Session, found bool, err error) {
	const text = "SELECT id, user_id, body, expires_at FROM session WHERE id = $1 AND expires_at > $2"
	found, err = repo.db.FindRow(ctx, "find session", text, []any{id, now}, []any{&s.ID, &s.UserID, &s.Body, &s.ExpiresAt})
	if err != nil {
		return account.Session{}, false, err
	}
	return s, found, nil
}

// DeleteSession ends a session, if there is one.
func (repo *Repository) DeleteSession(ctx context.Context, id string) error {
	_, err := repo.db.Exec(ctx, "delete session", "DELETE FROM session WHERE id = $1", id)
	return err
}

// rowsPerBatch is the most rows that a transaction of maintenance changes, so that
// other writers wait only milliseconds.
const rowsPerBatch = 500

const (
	deleteSessions = "DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires_at <= $1 LIMIT $2)"
	deleteLinks    = "DELETE FROM link WHERE hash IN (SELECT hash FROM link WHERE expires_at <= $1 LIMIT $2)"
)

// DeleteExpired deletes the sessions and links that have expired at now, a few
// hundred per transaction.
func (repo *Repository) DeleteExpired(ctx context.Context, now int64) error {
	if _, err := repo.deleteBatches(ctx, "delete expired sessions", deleteSessions, now); err != nil {
		return err
	}
	_, err := repo.deleteBatches(ctx, "delete expired links", deleteLinks, now)
	return err
}

// deleteBatches repeats a statement that deletes at most $2 rows before the time
// $1 until none are left, and returns how many it deleted.
func (repo *Repository) deleteBatches(ctx context.Context, what, text string, before int64) (deleted int64, err error) {
	for {
		n, err := repo.db.Exec(ctx, what, text, before, rowsPerBatch)
		if deleted += n; err != nil || n < rowsPerBatch {
			return deleted, err
		}
	}
}

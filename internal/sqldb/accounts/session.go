package accounts

import (
	"context"
	"fmt"
	"slices"

	"gamedex/internal/account"
	"gamedex/internal/sqldb/engine"
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
	return s, found, err
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

const (
	linkColumns = "hash, purpose, target, admin, created_by, created_at, expires_at"
	maxLinks    = 500 // returned by OpenLinks
)

var upsertLink = engine.Insert{Table: "link", Columns: linkColumns,
	Then: `ON CONFLICT (purpose, target) DO UPDATE SET hash = excluded.hash,
	admin = excluded.admin, created_by = excluded.created_by, created_at = excluded.created_at, expires_at = excluded.expires_at`}

// addLink replaces only a link that has expired.
var addLink = engine.Insert{Table: upsertLink.Table, Columns: upsertLink.Columns,
	Then: upsertLink.Then + " WHERE link.expires_at <= excluded.created_at"}

// SaveLink stores a link. It replaces the open link with the same purpose and
// the same email address or user. For a reset, the error wraps
// account.ErrNotFound if there is no such user.
func (repo *Repository) SaveLink(ctx context.Context, l account.Link, by account.By) error {
	_, err := repo.insertLink(ctx, &upsertLink, l, by)
	return err
}

// AddLink is SaveLink, but it keeps a link that it would replace. It reports whether it
// stored the new one.
func (repo *Repository) AddLink(ctx context.Context, l account.Link, by account.By) (added bool, err error) {
	return repo.insertLink(ctx, &addLink, l, by)
}

func (repo *Repository) insertLink(ctx context.Context, in *engine.Insert, l account.Link, by account.By) (stored bool, err error) {
	target, err := l.Target()
	if err != nil {
		return false, fmt.Errorf("save link: %w", err)
	}
	err = repo.writeUsers(ctx, "save link", func(t *engine.Tx) error {
		if l.Purpose == account.LinkReset {
			if _, err := readUser(ctx, t, target); err != nil {
				return err
			}
		}
		stored, err = t.InsertRow(ctx, in, l.Hash[:], string(l.Purpose), target, engine.BoolInt(l.Admin),
			l.CreatedBy, l.CreatedAt, l.ExpiresAt)
		if err != nil || !stored {
			return err
		}
		return WriteAudit(ctx, t, by.Entry(account.LinkCreate, l.AuditObject()))
	})
	return stored && err == nil, err
}

func scanLink(rows engine.Rows, l *account.Link) error {
	var hash engine.RawBytes
	var target string
	err := rows.Scan(&hash, &l.Purpose, &target, (*engine.Bool)(&l.Admin), &l.CreatedBy, &l.CreatedAt, &l.ExpiresAt)
	if err != nil {
		return err
	}
	if len(hash) != len(l.Hash) {
		return fmt.Errorf("link for %s: damaged hash", l.Purpose)
	}
	copy(l.Hash[:], hash)
	l.SetTarget(target)
	return nil
}

// FindLink returns the link whose token has this SHA-256, if it is open at now:
// neither used nor expired.
func (repo *Repository) FindLink(ctx context.Context, hash [32]byte, now int64) (l account.Link, found bool, err error) {
	const text = "SELECT " + linkColumns + " FROM link WHERE hash = $1 AND expires_at > $2"
	err = repo.db.Query(ctx, "find link", text, []any{hash[:], now}, func(rows engine.Rows) error {
		found = true
		return scanLink(rows, &l)
	})
	return l, found, err
}

// OpenLinks returns the links that are open at now, newest first, at most 500.
func (repo *Repository) OpenLinks(ctx context.Context, now int64) ([]account.Link, error) {
	const text = "SELECT " + linkColumns + " FROM link WHERE expires_at > $1 ORDER BY created_at DESC, hash LIMIT $2"
	return engine.List(ctx, repo.db, "list links", text, []any{now, maxLinks}, scanLink)
}

// takeLink deletes and returns a link that is open at now and has one of the
// purposes. The second of two calls for the same link returns account.ErrLinkGone.
func takeLink(ctx context.Context, t *engine.Tx, hash [32]byte, now int64, purposes ...account.Purpose) (l account.Link, err error) {
	const text = "DELETE FROM link WHERE hash = $1 AND expires_at > $2 RETURNING " + linkColumns
	err = t.Query(ctx, text, []any{hash[:], now}, func(rows engine.Rows) error { return scanLink(rows, &l) })
	if err == nil && !slices.Contains(purposes, l.Purpose) { // "": none was found
		err = account.ErrLinkGone
	}
	return l, err
}

// RevokeLink deletes an open link. It wraps account.ErrLinkGone if there is none.
func (repo *Repository) RevokeLink(ctx context.Context, hash [32]byte, by account.By) error {
	return repo.writeUsers(ctx, "revoke link", func(t *engine.Tx) error {
		l, err := takeLink(ctx, t, hash, by.At, account.LinkSetup, account.LinkInvite, account.LinkReset)
		if err != nil {
			return err
		}
		return WriteAudit(ctx, t, by.Entry(account.LinkRevoke, l.AuditObject()))
	})
}

// AcceptLink uses a link for set-up or invitation to create u. The link decides
// the email address of an invited user, and whether the user is an
// administrator. The error wraps account.ErrLinkGone if the link is not open, or
// is for the set-up and there is a user; and account.ErrEmailTaken, after which
// the link is still open.
func (repo *Repository) AcceptLink(ctx context.Context, hash [32]byte, u account.User, by account.By) error {
	return repo.writeUsers(ctx, "accept link", func(t *engine.Tx) error {
		l, err := takeLink(ctx, t, hash, by.At, account.LinkSetup, account.LinkInvite)
		if err != nil {
			return err
		}
		users := 0
		if _, err := t.FindRow(ctx, "SELECT COUNT(*) FROM person", nil, []any{&users}); err != nil {
			return err
		}
		if u, err = l.Accept(u, users); err != nil {
			return err
		}
		return createUser(ctx, t, u, by)
	})
}

// AcceptReset uses a link to change its user's password, as SetPassword does, and
// returns the user. It wraps account.ErrLinkGone if the link is not open or the user
// is disabled.
func (repo *Repository) AcceptReset(ctx context.Context, hash [32]byte, phc string, by account.By) (u account.User, err error) {
	err = repo.writeUsers(ctx, "accept reset", func(t *engine.Tx) error {
		l, err := takeLink(ctx, t, hash, by.At, account.LinkReset)
		if err != nil {
			return err
		}
		u, err = changeUser(ctx, t, l.UserID, account.UserPassword, by, func(t *engine.Tx, u account.User) (account.User, error) {
			if u.Disabled() {
				return u, account.ErrLinkGone
			}
			return u.SetPassword(phc), execEach(ctx, t, u.ID, dropResets, dropSessions)
		})
		return err
	})
	return u, err
}

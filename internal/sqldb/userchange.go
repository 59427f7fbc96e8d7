package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gamedex/internal/account"
)

// changeUser applies change to a user, with its audit entry, unless it changes
// nothing. It wraps account.ErrNotFound if there is no such user.
func (db *DB) changeUser(ctx context.Context, id string, action account.Action, by account.By, change func(*tx, account.User) (account.User, error)) error {
	return db.write(ctx, "change user", func(t *tx) error {
		if err := t.lockPeople(ctx); err != nil {
			return err
		}
		_, err := t.changeUser(ctx, id, action, by, change)
		return err
	})
}

func (t *tx) changeUser(ctx context.Context, id string, action account.Action, by account.By, change func(*tx, account.User) (account.User, error)) (account.User, error) {
	before, err := t.user(ctx, id)
	if err != nil {
		return before, err
	}
	u, err := change(t, before)
	if err != nil || u == before {
		return u, err
	}
	_, err = t.exec(ctx, `UPDATE person SET password_hash = $1, admin = $2, signed_in_at = $3, disabled_at = $4, epoch = $5
		WHERE id = $6`, u.PasswordHash, flag(u.Admin), u.SignedInAt, u.DisabledAt, u.Epoch, id)
	if err != nil {
		return u, err
	}
	return u, t.audit(ctx, by.Entry(action, id))
}

// SetPassword gives a user another password, in PHC form. All sessions of the
// user end, and an open link to reset the password too.
func (db *DB) SetPassword(ctx context.Context, userID, phc string, by account.By) error {
	return db.changeUser(ctx, userID, account.UserPassword, by, func(t *tx, u account.User) (account.User, error) {
		return u.SetPassword(phc), t.dropForPassword(ctx, userID)
	})
}

// dropForPassword deletes what another password ends: sessions, and a link to
// reset it.
func (t *tx) dropForPassword(ctx context.Context, userID string) error {
	return errors.Join(t.dropReset(ctx, userID), t.dropSessions(ctx, userID))
}

func (t *tx) dropReset(ctx context.Context, userID string) error {
	_, err := t.exec(ctx, "DELETE FROM link WHERE purpose = $1 AND target = $2", string(account.LinkReset), userID)
	return err
}

// EndSessions signs a user out everywhere.
func (db *DB) EndSessions(ctx context.Context, userID string, by account.By) error {
	return db.changeUser(ctx, userID, account.UserSignOut, by, func(t *tx, u account.User) (account.User, error) {
		return u.EndSessions(), t.dropSessions(ctx, userID)
	})
}

func (t *tx) dropSessions(ctx context.Context, userID string) error {
	_, err := t.exec(ctx, "DELETE FROM session WHERE user_id = $1", userID)
	return err
}

// NoteSignIn records that a user has signed in. It wraps account.ErrNotFound if
// there is no such user.
func (db *DB) NoteSignIn(ctx context.Context, userID string, by account.By) error {
	return db.write(ctx, "note sign-in", func(t *tx) error {
		noted, err := t.affects(ctx, "UPDATE person SET signed_in_at = $1 WHERE id = $2", by.At, userID)
		if err != nil {
			return err
		}
		if !noted {
			return fmt.Errorf("user %s: %w", userID, account.ErrNotFound)
		}
		return t.audit(ctx, by.Entry(account.UserSignIn, userID))
	})
}

// dropMade ends the links that a user has made: they would let somebody in, or
// back, by a right that he has no longer.
func (t *tx) dropMade(ctx context.Context, userID string) error {
	_, err := t.exec(ctx, "DELETE FROM link WHERE created_by = $1", userID)
	return err
}

// SetAdmin makes a user an administrator, or no longer one; then the open links
// that he made end. It wraps account.ErrLastAdmin if none would be left who is
// not disabled.
func (db *DB) SetAdmin(ctx context.Context, userID string, admin bool, by account.By) error {
	action := account.UserNoAdmin
	if admin {
		action = account.UserAdmin
	}
	return db.changeUser(ctx, userID, action, by, func(t *tx, u account.User) (account.User, error) {
		others, err := t.otherAdmins(ctx, userID)
		if err != nil {
			return u, err
		}
		changed, err := u.SetAdmin(admin, others)
		if err == nil && !admin {
			err = t.dropMade(ctx, userID)
		}
		return changed, err
	})
}

// otherAdmins counts the administrators besides a user who are not disabled.
func (t *tx) otherAdmins(ctx context.Context, userID string) (n int, err error) {
	const count = "SELECT COUNT(*) FROM person WHERE admin = 1 AND disabled_at = 0 AND id <> $1"
	_, err = t.find(ctx, count, []any{userID}, []any{&n})
	return n, err
}

// DisableUser keeps a user out until he is enabled: his sessions end, open links
// that he made or that reset his password too, and his active keys are
// suspended. It wraps account.ErrLastAdmin if no administrator would be left.
func (db *DB) DisableUser(ctx context.Context, userID string, by account.By) error {
	return db.changeUser(ctx, userID, account.UserDisable, by, func(t *tx, u account.User) (account.User, error) {
		others, err := t.otherAdmins(ctx, userID)
		if err != nil {
			return u, err
		}
		disabled, err := u.Disable(by.At, others)
		if err != nil || disabled == u {
			return disabled, err
		}
		if err := errors.Join(t.dropForPassword(ctx, userID), t.dropMade(ctx, userID)); err != nil {
			return u, err
		}
		why := by
		why.Detail = account.SuspendedWithUser
		return disabled, t.changeKeysOf(ctx, userID, account.KeySuspend, why, func(_ *tx, k account.Key) (account.Key, error) {
			return k.DisableWithUser(by.At), nil
		})
	})
}

// EnableUser lets a disabled user in again and resumes the keys that were
// suspended with him.
func (db *DB) EnableUser(ctx context.Context, userID string, by account.By) error {
	return db.changeUser(ctx, userID, account.UserEnable, by, func(t *tx, u account.User) (account.User, error) {
		if !u.Disabled() {
			return u, nil
		}
		return u.Enable(), t.changeKeysOf(ctx, userID, account.KeyResume, by, func(_ *tx, k account.Key) (account.Key, error) {
			return k.EnableWithUser(), nil
		})
	})
}

// changeKeysOf applies change to each of a user's keys, as changeKey does.
func (t *tx) changeKeysOf(ctx context.Context, userID string, action account.Action, by account.By, change func(*tx, account.Key) (account.Key, error)) error {
	seq, err := t.next(ctx, "key_change", 1)
	if err != nil {
		return err
	}
	var keys []account.Key
	const text = "SELECT " + keyColumns + " FROM api_key WHERE user_id = $1 AND revoked_at = 0 ORDER BY id"
	err = t.query(ctx, text, []any{userID}, func(rows *sql.Rows) error {
		var k account.Key
		err := scanKey(rows, &k)
		keys = append(keys, k)
		return err
	})
	for i := range keys {
		if err == nil {
			_, err = t.changeKey(ctx, seq, keys[i], action, by, change)
		}
	}
	return err
}

package sqldb

import (
	"context"
	"database/sql"
	"fmt"

	"gamedex/internal/account"
)

// changeUser applies change to a user, with its audit entry, unless it changes
// nothing. It wraps account.ErrNotFound if there is no such user.
func (db *DB) changeUser(ctx context.Context, id string, action account.Action, by account.By, change func(*tx, *account.User) error) error {
	return db.write(ctx, "change user", func(t *tx) error {
		if err := t.lockPeople(ctx); err != nil {
			return err
		}
		_, err := t.changeUser(ctx, id, action, by, change)
		return err
	})
}

func (t *tx) changeUser(ctx context.Context, id string, action account.Action, by account.By, change func(*tx, *account.User) error) (account.User, error) {
	u, err := t.user(ctx, id)
	if err != nil {
		return u, err
	}
	before := u
	if err := change(t, &u); err != nil || u == before {
		return u, err
	}
	_, err = t.exec(ctx, `UPDATE person SET password_hash = $1, admin = $2, signed_in_at = $3, disabled_at = $4, epoch = $5
		WHERE id = $6`, u.PasswordHash, flag(u.Admin), u.SignedInAt, u.DisabledAt, u.Epoch, id)
	if err != nil {
		return u, err
	}
	return u, t.audit(ctx, entry(by, action, id))
}

// SetPassword gives a user another password, in PHC form. All sessions of the
// user end, and an open link to reset the password too.
func (db *DB) SetPassword(ctx context.Context, userID, phc string, by account.By) error {
	return db.changeUser(ctx, userID, account.UserPassword, by, func(t *tx, u *account.User) error {
		return t.setPassword(ctx, u, phc)
	})
}

func (t *tx) setPassword(ctx context.Context, u *account.User, phc string) error {
	u.PasswordHash = phc
	if err := t.dropReset(ctx, u.ID); err != nil {
		return err
	}
	return t.endSessions(ctx, u)
}

func (t *tx) dropReset(ctx context.Context, userID string) error {
	_, err := t.exec(ctx, "DELETE FROM link WHERE purpose = $1 AND target = $2", string(account.LinkReset), userID)
	return err
}

// EndSessions signs a user out everywhere.
func (db *DB) EndSessions(ctx context.Context, userID string, by account.By) error {
	return db.changeUser(ctx, userID, account.UserSignOut, by, func(t *tx, u *account.User) error {
		return t.endSessions(ctx, u)
	})
}

// endSessions begins another epoch: a request under way may store the session
// again that is deleted here, and that one is over all the same.
func (t *tx) endSessions(ctx context.Context, u *account.User) error {
	u.Epoch++
	_, err := t.exec(ctx, "DELETE FROM session WHERE user_id = $1", u.ID)
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
		return t.audit(ctx, entry(by, account.UserSignIn, userID))
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
	return db.changeUser(ctx, userID, action, by, func(t *tx, u *account.User) error {
		if !admin {
			if err := t.spare(ctx, u); err != nil {
				return err
			}
			if err := t.dropMade(ctx, userID); err != nil {
				return err
			}
		}
		u.Admin = admin
		return nil
	})
}

// spare returns account.ErrLastAdmin if the service cannot do without u as an
// administrator.
func (t *tx) spare(ctx context.Context, u *account.User) error {
	if !u.Admin || u.Disabled() {
		return nil
	}
	others := 0
	const count = "SELECT COUNT(*) FROM person WHERE admin = 1 AND disabled_at = 0 AND id <> $1"
	if _, err := t.find(ctx, count, []any{u.ID}, []any{&others}); err != nil {
		return err
	}
	if others == 0 {
		return account.ErrLastAdmin
	}
	return nil
}

// DisableUser keeps a user out until he is enabled: his sessions end, open links
// that he made or that reset his password too, and his active keys are
// suspended. It wraps account.ErrLastAdmin if no administrator would be left.
func (db *DB) DisableUser(ctx context.Context, userID string, by account.By) error {
	return db.changeUser(ctx, userID, account.UserDisable, by, func(t *tx, u *account.User) error {
		if u.Disabled() {
			return nil
		}
		if err := t.spare(ctx, u); err != nil {
			return err
		}
		u.DisabledAt = by.At
		if err := t.dropReset(ctx, userID); err != nil {
			return err
		}
		if err := t.dropMade(ctx, userID); err != nil {
			return err
		}
		if err := t.endSessions(ctx, u); err != nil {
			return err
		}
		why := by
		why.Detail = account.SuspendedWithUser
		return t.changeKeysOf(ctx, userID, account.KeySuspend, why, func(_ *tx, k *account.Key) error {
			if k.Status(by.At) == account.StatusActive {
				k.SuspendedAt, k.SuspendReason = by.At, account.SuspendedWithUser
			}
			return nil
		})
	})
}

// EnableUser lets a disabled user in again and resumes the keys that were
// suspended with him.
func (db *DB) EnableUser(ctx context.Context, userID string, by account.By) error {
	return db.changeUser(ctx, userID, account.UserEnable, by, func(t *tx, u *account.User) error {
		if !u.Disabled() {
			return nil
		}
		u.DisabledAt = 0
		return t.changeKeysOf(ctx, userID, account.KeyResume, by, func(_ *tx, k *account.Key) error {
			if k.RevokedAt == 0 && k.SuspendReason == account.SuspendedWithUser {
				k.SuspendedAt, k.SuspendReason = 0, ""
			}
			return nil
		})
	})
}

// changeKeysOf applies change to each of a user's keys, as changeKey does.
func (t *tx) changeKeysOf(ctx context.Context, userID string, action account.Action, by account.By, change func(*tx, *account.Key) error) error {
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
			err = t.changeKey(ctx, seq, &keys[i], action, by, change)
		}
	}
	return err
}

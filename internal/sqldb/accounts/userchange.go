package accounts

import (
	"context"
	"fmt"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/sqldb/engine"
)

// changeUser applies change to a user, with its audit entry, unless it changes
// nothing. It wraps account.ErrNotFound if there is no such user.
func (repo *Repository) changeUser(ctx context.Context, id string, action account.Action, by account.By,
	change func(*engine.Tx, account.User) (account.User, error)) error {
	return repo.writeUsers(ctx, "change user", func(t *engine.Tx) error {
		_, err := changeUser(ctx, t, id, action, by, change)
		return err
	})
}

func changeUser(ctx context.Context, t *engine.Tx, id string, action account.Action, by account.By,
	change func(*engine.Tx, account.User) (account.User, error)) (account.User, error) {
	before, err := readUser(ctx, t, id)
	if err != nil {
		return before, err
	}
	u, err := change(t, before)
	if err != nil || u == before {
		return u, err
	}
	_, err = t.Exec(ctx, `UPDATE person SET password_hash = $1, admin = $2, signed_in_at = $3, disabled_at = $4, epoch = $5
		WHERE id = $6`, u.PasswordHash, engine.BoolInt(u.Admin), u.SignedInAt, u.DisabledAt, u.Epoch, id)
	if err != nil {
		return u, err
	}
	return u, WriteAudit(ctx, t, by.Entry(action, id))
}

// SetPassword changes a user's password, in PHC form. It ends all their sessions
// and an open link to reset the password.
func (repo *Repository) SetPassword(ctx context.Context, userID, phc string, by account.By) error {
	return repo.changeUser(ctx, userID, account.UserPassword, by, func(t *engine.Tx, u account.User) (account.User, error) {
		return u.SetPassword(phc), execEach(ctx, t, userID, dropResets, dropSessions)
	})
}

// What a change of a user deletes. Links that they created end with the right that they no longer have.
const (
	dropSessions     = "DELETE FROM session WHERE user_id = $1"
	dropResets       = "DELETE FROM link WHERE purpose = '" + string(account.LinkReset) + "' AND target = $1"
	dropCreatedLinks = "DELETE FROM link WHERE created_by = $1"
)

// execEach runs statements with one argument.
func execEach(ctx context.Context, t *engine.Tx, arg any, texts ...string) error {
	for _, text := range texts {
		if _, err := t.Exec(ctx, text, arg); err != nil {
			return err
		}
	}
	return nil
}

// EndSessions signs a user out everywhere.
func (repo *Repository) EndSessions(ctx context.Context, userID string, by account.By) error {
	return repo.changeUser(ctx, userID, account.UserSignOut, by, func(t *engine.Tx, u account.User) (account.User, error) {
		return u.EndSessions(), execEach(ctx, t, userID, dropSessions)
	})
}

// NoteSignIn records that a user has signed in. It wraps account.ErrNotFound if
// there is no such user.
func (repo *Repository) NoteSignIn(ctx context.Context, userID string, by account.By) error {
	return repo.writeUsers(ctx, "note sign-in", func(t *engine.Tx) error {
		noted, err := t.Exec(ctx, "UPDATE person SET signed_in_at = $1 WHERE id = $2", by.At, userID)
		if err != nil {
			return err
		}
		if noted == 0 {
			return fmt.Errorf("user %s: %w", userID, account.ErrNotFound)
		}
		return WriteAudit(ctx, t, by.Entry(account.UserSignIn, userID))
	})
}

// SetAdmin grants or removes administrator rights; a removal ends the open links
// that the user created. It wraps account.ErrLastAdmin if no enabled
// administrator would be left.
func (repo *Repository) SetAdmin(ctx context.Context, userID string, admin bool, by account.By) error {
	action := account.UserNoAdmin
	if admin {
		action = account.UserAdmin
	}
	return repo.changeUser(ctx, userID, action, by, func(t *engine.Tx, u account.User) (account.User, error) {
		others, err := otherAdmins(ctx, t, userID)
		if err != nil {
			return u, err
		}
		changed, err := u.SetAdmin(admin, others)
		if err == nil && !admin {
			err = execEach(ctx, t, userID, dropCreatedLinks)
		}
		return changed, err
	})
}

// otherAdmins counts the enabled administrators besides a user.
func otherAdmins(ctx context.Context, t *engine.Tx, userID string) (n int, err error) {
	const count = "SELECT COUNT(*) FROM person WHERE admin = 1 AND disabled_at = 0 AND id <> $1"
	_, err = t.FindRow(ctx, count, []any{userID}, []any{&n})
	return n, err
}

// DisableUser disables a user: it ends their sessions and the open links that
// they created or that reset their password, and suspends their active keys. It
// wraps account.ErrLastAdmin if no administrator would be left.
func (repo *Repository) DisableUser(ctx context.Context, userID string, by account.By) error {
	return repo.changeUser(ctx, userID, account.UserDisable, by, func(t *engine.Tx, u account.User) (account.User, error) {
		others, err := otherAdmins(ctx, t, userID)
		if err != nil {
			return u, err
		}
		disabled, err := u.Disable(by.At, others)
		if err != nil || disabled == u {
			return disabled, err
		}
		if err := execEach(ctx, t, userID, dropResets, dropSessions, dropCreatedLinks); err != nil {
			return u, err
		}
		why := by
		why.Detail = account.SuspendedWithUser
		return disabled, changeKeysOf(ctx, t, userID, account.KeySuspend, why, func(_ *engine.Tx, k account.Key) (account.Key, error) {
			return k.DisableWithUser(by.At), nil
		})
	})
}

// EnableUser enables a disabled user and resumes the keys that were suspended
// with them.
func (repo *Repository) EnableUser(ctx context.Context, userID string, by account.By) error {
	return repo.changeUser(ctx, userID, account.UserEnable, by, func(t *engine.Tx, u account.User) (account.User, error) {
		if !u.Disabled() {
			return u, nil
		}
		return u.Enable(), changeKeysOf(ctx, t, userID, account.KeyResume, by, func(_ *engine.Tx, k account.Key) (account.Key, error) {
			return k.EnableWithUser(), nil
		})
	})
}

// changeKeysOf applies change to each of a user's keys, as changeKey does.
func changeKeysOf(ctx context.Context, t *engine.Tx, userID string, action account.Action, by account.By,
	change func(*engine.Tx, account.Key) (account.Key, error)) error {
	seq, err := t.RaiseCounter(ctx, "key_change", 1)
	if err != nil {
		return err
	}
	const text = "SELECT " + keyColumns + " FROM api_key WHERE user_id = $1 AND revoked_at = 0 ORDER BY id FOR UPDATE"
	keys, err := engine.ListIn(ctx, t, text, []any{userID}, readKey)
	for i := range keys {
		if err == nil {
			_, err = changeKey(ctx, t, seq, keys[i], action, by, change)
		}
	}
	return err
}

// DeleteUser deletes a user and everything that names them: sessions, identities, watched games, the
// links that they made, and those for them or their email address. It revokes their
// keys, deletes the keys' webhooks, and removes the keys' owner and names. In audit entries it replaces their email
// address with their id and clears the addresses they came from. It wraps
// account.ErrLastAdmin if no administrator would be left.
//
// Then it erases the deleted rows from the engine's log, as far as current readers
// allow.
func (repo *Repository) DeleteUser(ctx context.Context, userID string, by account.By) error {
	err := repo.writeUsers(ctx, "delete user", func(t *engine.Tx) error {
		u, err := readUser(ctx, t, userID)
		if err != nil {
			return err
		}
		others, err := otherAdmins(ctx, t, userID)
		if err != nil {
			return err
		}
		if err := u.CheckSpared(others); err != nil {
			return err
		}
		if err := orphanKeys(ctx, t, userID, by); err != nil {
			return err
		}
		err = execEach(ctx, t, userID, dropResets, dropSessions, dropCreatedLinks, "DELETE FROM identity WHERE user_id = $1",
			"DELETE FROM watch WHERE user_id = $1", "DELETE FROM person WHERE id = $1")
		if err != nil {
			return err
		}
		if err := execEach(ctx, t, u.Email, "DELETE FROM link WHERE purpose = 'invite' AND target = $1"); err != nil {
			return err
		}
		if err := WriteAudit(ctx, t, by.Entry(account.UserDelete, userID)); err != nil {
			return err
		}
		return eraseFromAudit(ctx, t, &u)
	})
	if err != nil {
		return err
	}
	return repo.db.Erase(ctx)
}

// orphanKeys revokes a user's keys and removes their owner and what the owner
// wrote, the names in audit entries included.
func orphanKeys(ctx context.Context, t *engine.Tx, userID string, by account.By) error {
	seq, err := t.RaiseCounter(ctx, "key_change", 1)
	if err != nil {
		return err
	}
	// Whoever creates a webhook locks its key before the counter of webhooks.
	ids, err := findIDs(ctx, t, "SELECT id FROM api_key WHERE user_id = $1 ORDER BY id FOR UPDATE", userID)
	if err != nil {
		return err
	}
	if _, err := DeleteWebhooks(ctx, t, "key_id", ids); err != nil {
		return err
	}
	err = changeKeysOf(ctx, t, userID, account.KeyRevoke, by, func(_ *engine.Tx, k account.Key) (account.Key, error) {
		return k.Revoke(by.At), nil
	})
	if err != nil {
		return err
	}
	const forgetNames = "UPDATE audit SET detail = '' WHERE action = $1 AND object IN (SELECT id FROM api_key WHERE user_id = $2)"
	if _, err := t.Exec(ctx, forgetNames, string(account.KeyRename), userID); err != nil {
		return err
	}
	const orphan = "UPDATE api_key SET name = 'deleted', user_id = '', suspend_reason = '', change = $1 WHERE user_id = $2"
	_, err = t.Exec(ctx, orphan, seq, userID)
	return err
}

var updateNames = engine.Update{Table: "audit", Set: "actor, object, detail", Key: "id"}

// eraseFromAudit replaces a user's email address with their id, and clears the
// addresses they came from.
func eraseFromAudit(ctx context.Context, t *engine.Tx, u *account.User) error {
	const origins = "UPDATE audit SET origin = '', full_origin = 0 WHERE actor = $1"
	if _, err := t.Exec(ctx, origins, u.ID); err != nil {
		return err
	}
	// The engine finds the entries with any email address: it cannot compare
	// addresses in any case.
	const entries = "SELECT id, actor, object, detail FROM audit WHERE actor LIKE $1 OR object LIKE $1 OR detail LIKE $1"
	pattern := "%"
	if strings.Contains(u.Email, "@") {
		pattern = "%@%"
	}
	var naming []account.AuditEntry // with the id instead of the email address
	err := t.Query(ctx, entries, []any{pattern}, func(rows engine.Rows) error {
		var e account.AuditEntry
		err := rows.Scan(&e.ID, &e.Actor, &e.Object, &e.Detail)
		erased := e
		for _, field := range []*string{&erased.Actor, &erased.Object, &erased.Detail} {
			*field = account.ReplaceEmail(*field, u.Email, u.ID)
		}
		if erased != e {
			naming = append(naming, erased)
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = t.UpdateRows(ctx, &updateNames, len(naming), func(args []any, i int) []any {
		return append(args, naming[i].Actor, naming[i].Object, naming[i].Detail, naming[i].ID)
	})
	return err
}

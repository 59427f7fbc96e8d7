package accounts

import (
	"context"
	"errors"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/sqldb/engine"
)

// DeleteUser deletes a user and everything that names them: sessions, identities, the
// links that they made, and those for them or their email address. It revokes their
// keys and removes the keys' owner and names. In audit entries it replaces their email
// address with their id and clears the addresses they came from. It wraps
// account.ErrLastAdmin if no administrator would be left.
//
// Then it erases the deleted rows from the engine's log, as far as current readers
// allow.
func (repo *Repository) DeleteUser(ctx context.Context, userID string, by account.By) error {
	err := repo.db.Write(ctx, "delete user", func(t *engine.Tx) error {
		if err := lockUsers(ctx, t); err != nil {
			return err
		}
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
		if err := errors.Join(dropForPassword(ctx, t, userID), dropCreatedLinks(ctx, t, userID)); err != nil {
			return err
		}
		for _, statement := range []struct{ text, arg string }{
			{"DELETE FROM identity WHERE user_id = $1", userID},
			{"DELETE FROM person WHERE id = $1", userID},
			{"DELETE FROM link WHERE purpose = 'invite' AND target = $1", u.Email},
		} {
			if _, err := t.Exec(ctx, statement.text, statement.arg); err != nil {
				return err
			}
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
	err := changeKeysOf(ctx, t, userID, account.KeyRevoke, by, func(_ *engine.Tx, k account.Key) (account.Key, error) {
		return k.Revoke(by.At), nil
	})
	if err != nil {
		return err
	}
	seq, err := t.RaiseCounter(ctx, "key_change", 1)
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

package accounts

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
)

// DeleteUser takes a user out for good, with all that names them: sessions,
// identities, links of theirs or for their email address. Their keys are revoked and
// become nobody's, without their names. In the audit entries their id is
// where their address was, and it is no longer known from where they did what they
// did. It wraps account.ErrLastAdmin if no administrator would be left.
//
// Then the log beside the file is emptied, which has the former pages: as far
// as others who read at this moment allow it.
func (store *Store) DeleteUser(ctx context.Context, userID string, by account.By) error {
	if err := store.deleteUser(ctx, userID, by); err != nil {
		return err
	}
	return store.db.EmptyLog(ctx)
}

func (store *Store) deleteUser(ctx context.Context, userID string, by account.By) error {
	return store.db.Write(ctx, "delete user", func(t *sqldb.Tx) error {
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
		if err := removeUser(ctx, t, &u); err != nil {
			return err
		}
		if err := WriteAudit(ctx, t, by.Entry(account.UserDelete, userID)); err != nil {
			return err
		}
		return forgetInAudit(ctx, t, &u)
	})
}

// orphanKeys revokes a user's keys and takes from all of them what they wrote,
// the names that audit entries remember too.
func orphanKeys(ctx context.Context, t *sqldb.Tx, userID string, by account.By) error {
	err := changeKeysOf(ctx, t, userID, account.KeyRevoke, by, func(_ *sqldb.Tx, k account.Key) (account.Key, error) {
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

// removeUser deletes the rows that are a user's.
func removeUser(ctx context.Context, t *sqldb.Tx, u *account.User) error {
	if err := errors.Join(dropForPassword(ctx, t, u.ID), dropMade(ctx, t, u.ID)); err != nil {
		return err
	}
	for _, text := range []string{
		"DELETE FROM identity WHERE user_id = $1",
		"DELETE FROM person WHERE id = $1",
	} {
		if _, err := t.Exec(ctx, text, u.ID); err != nil {
			return err
		}
	}
	_, err := t.Exec(ctx, "DELETE FROM link WHERE purpose = 'invite' AND target = $1", u.Email)
	return err
}

// auditText is what an audit entry says in words.
type auditText struct {
	id                    int64
	actor, object, detail string
}

// forgetInAudit puts a user's id in the place of their email address, and
// empties the addresses they came from.
func forgetInAudit(ctx context.Context, t *sqldb.Tx, u *account.User) error {
	const origins = "UPDATE audit SET origin = '', full_origin = 0 WHERE actor = $1"
	if _, err := t.Exec(ctx, origins, u.ID); err != nil {
		return err
	}
	found, err := auditNaming(ctx, t, u.Email)
	for _, e := range found {
		if err == nil {
			_, err = t.Exec(ctx, "UPDATE audit SET actor = $1, object = $2, detail = $3 WHERE id = $4",
				account.ReplaceEmail(e.actor, u.Email, u.ID), account.ReplaceEmail(e.object, u.Email, u.ID), account.ReplaceEmail(e.detail, u.Email, u.ID), e.id)
		}
	}
	return err
}

// auditNaming returns the entries that name an email address. The engine sorts
// out those that name none at all: it does not know what the same address in
// another case is.
func auditNaming(ctx context.Context, t *sqldb.Tx, email string) ([]auditText, error) {
	var found []auditText
	const text = "SELECT id, actor, object, detail FROM audit WHERE actor LIKE $1 OR object LIKE $1 OR detail LIKE $1"
	some := "%"
	if strings.Contains(email, "@") {
		some = "%@%"
	}
	err := t.Query(ctx, text, []any{some}, func(rows *sql.Rows) error {
		var e auditText
		err := rows.Scan(&e.id, &e.actor, &e.object, &e.detail)
		all := e.actor + "\n" + e.object + "\n" + e.detail
		if err == nil && account.ReplaceEmail(all, email, "") != all {
			found = append(found, e)
		}
		return err
	})
	return found, err
}

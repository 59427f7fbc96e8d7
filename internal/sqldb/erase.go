package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"gamedex/internal/account"
)

// DeleteUser takes a user out for good, with all that names him: sessions,
// identities, links of him, by him or for his email address. His keys are revoked and
// become nobody's, without their names. In the audit entries his id stands
// where his address was, and it is no longer known from where he did what he
// did. It wraps account.ErrLastAdmin if no administrator would be left.
//
// Then the log beside the file is emptied, which has the former pages: as far
// as others who read at this moment allow it.
func (db *DB) DeleteUser(ctx context.Context, userID string, by account.By) error {
	if err := db.deleteUser(ctx, userID, by); err != nil {
		return err
	}
	return db.failed("empty the log", db.writer.emptyLog(ctx))
}

func (db *DB) deleteUser(ctx context.Context, userID string, by account.By) error {
	return db.write(ctx, "delete user", func(t *tx) error {
		if err := t.lockPeople(ctx); err != nil {
			return err
		}
		u, err := t.user(ctx, userID)
		if err != nil {
			return err
		}
		others, err := t.otherAdmins(ctx, userID)
		if err != nil {
			return err
		}
		if err := u.CheckSpared(others); err != nil {
			return err
		}
		if err := t.orphanKeys(ctx, userID, by); err != nil {
			return err
		}
		if err := t.removeUser(ctx, &u); err != nil {
			return err
		}
		if err := t.audit(ctx, by.Entry(account.UserDelete, userID)); err != nil {
			return err
		}
		return t.forgetInAudit(ctx, &u)
	})
}

// orphanKeys revokes a user's keys and takes from all of them what he wrote,
// the names that audit entries remember too.
func (t *tx) orphanKeys(ctx context.Context, userID string, by account.By) error {
	err := t.changeKeysOf(ctx, userID, account.KeyRevoke, by, func(_ *tx, k account.Key) (account.Key, error) {
		return k.Revoke(by.At), nil
	})
	if err != nil {
		return err
	}
	seq, err := t.next(ctx, "key_change", 1)
	if err != nil {
		return err
	}
	const forgetNames = "UPDATE audit SET detail = '' WHERE action = $1 AND object IN (SELECT id FROM api_key WHERE user_id = $2)"
	if _, err := t.exec(ctx, forgetNames, string(account.KeyRename), userID); err != nil {
		return err
	}
	const orphan = "UPDATE api_key SET name = 'deleted', user_id = '', suspend_reason = '', change = $1 WHERE user_id = $2"
	_, err = t.exec(ctx, orphan, seq, userID)
	return err
}

// removeUser deletes the rows that are a user's.
func (t *tx) removeUser(ctx context.Context, u *account.User) error {
	if err := errors.Join(t.dropForPassword(ctx, u.ID), t.dropMade(ctx, u.ID)); err != nil {
		return err
	}
	for _, text := range []string{
		"DELETE FROM identity WHERE user_id = $1",
		"DELETE FROM person WHERE id = $1",
	} {
		if _, err := t.exec(ctx, text, u.ID); err != nil {
			return err
		}
	}
	_, err := t.exec(ctx, "DELETE FROM link WHERE purpose = 'invite' AND target = $1", u.Email)
	return err
}

// auditText is what an audit entry says in words.
type auditText struct {
	id                    int64
	actor, object, detail string
}

// forgetInAudit puts a user's id in the place of his email address, and
// empties the addresses he came from.
func (t *tx) forgetInAudit(ctx context.Context, u *account.User) error {
	const origins = "UPDATE audit SET origin = '', full_origin = 0 WHERE actor = $1"
	if _, err := t.exec(ctx, origins, u.ID); err != nil {
		return err
	}
	found, err := t.auditNaming(ctx, u.Email)
	for _, e := range found {
		if err == nil {
			_, err = t.exec(ctx, "UPDATE audit SET actor = $1, object = $2, detail = $3 WHERE id = $4",
				account.ReplaceEmail(e.actor, u.Email, u.ID), account.ReplaceEmail(e.object, u.Email, u.ID), account.ReplaceEmail(e.detail, u.Email, u.ID), e.id)
		}
	}
	return err
}

// auditNaming gives the entries that name an email address. The engine sorts
// out those that name none at all: it does not know what the same address in
// another case is.
func (t *tx) auditNaming(ctx context.Context, email string) ([]auditText, error) {
	var found []auditText
	const text = "SELECT id, actor, object, detail FROM audit WHERE actor LIKE $1 OR object LIKE $1 OR detail LIKE $1"
	some := "%"
	if strings.Contains(email, "@") {
		some = "%@%"
	}
	err := t.query(ctx, text, []any{some}, func(rows *sql.Rows) error {
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

package accounts

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/sqldb/engine"
)

const keyColumns = "id, hash, prefix, name, user_id, created_at, expires_at, last_used_at, revoked_at, " +
	"suspended_at, suspend_reason, permissions, limit_minute, limit_day"

var insertKey = engine.Insert{Table: "api_key", Columns: keyColumns + ", change"}

// CreateKey stores a new key. An id or a token that exists is an error. For the
// key of a user, the error wraps account.ErrNotFound if there is no such user or
// they are disabled, account.ErrTooManyKeys if they have account.MaxKeys, and
// account.ErrTooManyNewKeys if they make it themselves and made account.MaxNewKeys
// recently.
func (repo *Repository) CreateKey(ctx context.Context, k account.Key, by account.By) error {
	return repo.db.Write(ctx, "create key", func(t *engine.Tx) error {
		change, err := t.RaiseCounter(ctx, "key_change", 1)
		if err != nil {
			return err
		}
		if k.UserID != "" {
			if err := checkNewKey(ctx, t, k.UserID, by); err != nil {
				return err
			}
		}
		_, err = t.InsertRow(ctx, &insertKey, k.ID, k.Hash[:], k.Prefix, k.Name, k.UserID, k.CreatedAt, k.ExpiresAt,
			k.LastUsedAt, k.RevokedAt, k.SuspendedAt, k.SuspendReason, k.Permissions.String(), k.LimitMinute, k.LimitDay, change)
		if err != nil {
			return err
		}
		return WriteAudit(ctx, t, by.Entry(account.KeyCreate, k.ID))
	})
}

// checkNewKey returns why a user may not have another key.
func checkNewKey(ctx context.Context, t *engine.Tx, userID string, by account.By) error {
	u, err := readUser(ctx, t, userID)
	if err != nil {
		return err
	}
	// Keys from the future do not count: a wrong clock made them.
	const count = `SELECT COUNT(CASE WHEN revoked_at = 0 THEN 1 END), COUNT(CASE WHEN created_at > $2 AND created_at <= $3 THEN 1 END)
		FROM api_key WHERE user_id = $1`
	keys, lately := 0, 0
	if _, err := t.FindRow(ctx, count, []any{userID, by.At - account.NewKeysWindow, by.At}, []any{&keys, &lately}); err != nil {
		return err
	}
	if by.Actor != userID { // an operator
		lately = 0
	}
	return u.CheckNewKey(keys, lately)
}

// findIDs returns the ids that a query selects.
func findIDs(ctx context.Context, t *engine.Tx, text string, args ...any) ([]string, error) {
	return engine.ListIn(ctx, t, text, args, func(rows engine.Rows, id *string) error { return rows.Scan(id) })
}

// DeleteWebhooks deletes the webhooks whose column has one of the values, with all that belongs to them,
// and raises the counter of their changes. It returns how many it deleted.
func DeleteWebhooks(ctx context.Context, t *engine.Tx, column string, values []string) (int, error) {
	if len(values) == 0 {
		return 0, nil
	}
	if _, err := t.RaiseCounter(ctx, "webhook_change", 1); err != nil {
		return 0, err
	}
	ids, err := findIDs(ctx, t, "SELECT id FROM webhook WHERE "+column+" = ANY($1) ORDER BY id FOR UPDATE", values)
	if err != nil {
		return 0, err
	}
	return len(ids), execEach(ctx, t, ids, "DELETE FROM webhook WHERE id = ANY($1)", "DELETE FROM webhook_game WHERE webhook_id = ANY($1)",
		"DELETE FROM webhook_message WHERE webhook_id = ANY($1)", "DELETE FROM webhook_try WHERE webhook_id = ANY($1)")
}

// ForgetKeys deletes the keys that were revoked before a time, with their usage and webhooks,
// and what keys and owners had used of windows that ended before it. It returns
// the number of keys.
func (repo *Repository) ForgetKeys(ctx context.Context, before int64) (gone int64, err error) {
	err = repo.db.Write(ctx, "forget keys", func(t *engine.Tx) error {
		// A subquery for the ids would make PostgreSQL read all usage.
		ids, err := findIDs(ctx, t, "SELECT id FROM api_key WHERE revoked_at <> 0 AND revoked_at < $1", before)
		if err != nil {
			return err
		}
		if _, err := t.Exec(ctx, "DELETE FROM usage WHERE key_id = ANY($1)", ids); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, "DELETE FROM quota_state WHERE minute < $1", before/60_000); err != nil {
			return err
		}
		if gone, err = t.Exec(ctx, "DELETE FROM api_key WHERE id = ANY($1)", ids); err != nil {
			return err
		}
		_, err = DeleteWebhooks(ctx, t, "key_id", ids)
		return err
	})
	return gone, err
}

// RevokeKey revokes a key permanently. Revoking again changes nothing. Like the
// methods below it returns the key after the change, and wraps
// account.ErrNotFound if there is none.
func (repo *Repository) RevokeKey(ctx context.Context, id string, by account.By) (account.Key, error) {
	return repo.changeKey(ctx, id, account.KeyRevoke, by, func(_ *engine.Tx, k account.Key) (account.Key, error) {
		return k.Revoke(by.At), nil
	})
}

// SuspendKey stops a key until it is resumed. A revoked key is an error.
func (repo *Repository) SuspendKey(ctx context.Context, id, reason string, by account.By) (account.Key, error) {
	return repo.changeKey(ctx, id, account.KeySuspend, by, func(_ *engine.Tx, k account.Key) (account.Key, error) {
		return k.Suspend(by.At, reason)
	})
}

// ResumeKey resumes a suspended key. A revoked key is an error. If its user is
// disabled, the key stays suspended until they are enabled.
func (repo *Repository) ResumeKey(ctx context.Context, id string, by account.By) (account.Key, error) {
	return repo.changeKey(ctx, id, account.KeyResume, by, func(t *engine.Tx, k account.Key) (account.Key, error) {
		userDisabled := false
		const text = "SELECT disabled_at <> 0 FROM person WHERE id = $1"
		if _, err := t.FindRow(ctx, text, []any{k.UserID}, []any{(*engine.Bool)(&userDisabled)}); err != nil {
			return k, err
		}
		return k.Resume(userDisabled)
	})
}

// RenameKey changes the name of a key; the caller has checked it. The audit entry
// has the old one.
func (repo *Repository) RenameKey(ctx context.Context, id, name string, by account.By) (account.Key, error) {
	return repo.changeKey(ctx, id, account.KeyRename, by, func(_ *engine.Tx, k account.Key) (account.Key, error) {
		k.Name = name
		return k, nil
	})
}

// SetKeyLimits sets the limits of a key; 0 is the default. The caller has checked
// them.
func (repo *Repository) SetKeyLimits(ctx context.Context, id string, minute, day int, by account.By) (account.Key, error) {
	return repo.changeKey(ctx, id, account.KeyLimits, by, func(_ *engine.Tx, k account.Key) (account.Key, error) {
		k.LimitMinute, k.LimitDay = minute, day
		return k, nil
	})
}

// changeKey applies change to a key, with its audit entry and a new number of
// the change counter, unless it changes nothing.
func (repo *Repository) changeKey(ctx context.Context, id string, action account.Action, by account.By,
	change func(*engine.Tx, account.Key) (account.Key, error)) (k account.Key, err error) {
	err = repo.db.Write(ctx, "change key", func(t *engine.Tx) error {
		// Raise the counter first: its row is locked until commit, so that changes
		// become visible in order.
		seq, err := t.RaiseCounter(ctx, "key_change", 1)
		if err != nil {
			return err
		}
		found, err := engine.ListIn(ctx, t, "SELECT "+keyColumns+" FROM api_key WHERE id = $1", []any{id}, readKey)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("key %s: %w", id, account.ErrNotFound)
		}
		k, err = changeKey(ctx, t, seq, found[0], action, by, change)
		return err
	})
	return k, err
}

// changeKey applies change to a key that was read; seq is the new number.
func changeKey(ctx context.Context, t *engine.Tx, seq int64, before account.Key, action account.Action, by account.By,
	change func(*engine.Tx, account.Key) (account.Key, error)) (account.Key, error) {
	k, err := change(t, before)
	if err != nil || k == before {
		return k, err
	}
	_, err = t.Exec(ctx, `UPDATE api_key SET name = $1, revoked_at = $2, suspended_at = $3, suspend_reason = $4,
		limit_minute = $5, limit_day = $6, change = $7 WHERE id = $8`,
		k.Name, k.RevokedAt, k.SuspendedAt, k.SuspendReason, k.LimitMinute, k.LimitDay, seq, k.ID)
	if err != nil {
		return k, err
	}
	if action == account.KeyRename {
		by.Detail = before.Name
	}
	return k, WriteAudit(ctx, t, by.Entry(action, k.ID))
}

// scanKey reads keyColumns, and the columns after them into more.
func scanKey(rows engine.Rows, k *account.Key, more ...any) error {
	var hash engine.RawBytes
	var permissions string
	err := rows.Scan(append([]any{&k.ID, &hash, &k.Prefix, &k.Name, &k.UserID, &k.CreatedAt, &k.ExpiresAt, &k.LastUsedAt,
		&k.RevokedAt, &k.SuspendedAt, &k.SuspendReason, &permissions, &k.LimitMinute, &k.LimitDay}, more...)...)
	if err != nil {
		return err
	}
	if len(hash) != len(k.Hash) {
		return fmt.Errorf("key %s: damaged hash", k.ID)
	}
	copy(k.Hash[:], hash)
	if k.Permissions, err = account.ParsePermissions(permissions); err != nil {
		return fmt.Errorf("key %s: %w", k.ID, err)
	}
	return nil
}

// readKey reads keyColumns.
func readKey(rows engine.Rows, k *account.Key) error { return scanKey(rows, k) }

const lockKeyUses = "SELECT id, last_used_at FROM api_key WHERE id = ANY($1) ORDER BY id FOR UPDATE"

var updateKeyUse = engine.Update{Table: "api_key", Set: "last_used_at", Key: "id"}

// SaveKeyUses implements [account.Keys].
func (repo *Repository) SaveKeyUses(ctx context.Context, uses []account.KeyUse) error {
	last := make(map[string]int64, len(uses))
	for _, u := range uses {
		last[u.KeyID] = max(last[u.KeyID], u.At)
	}
	return repo.db.Write(ctx, "save key uses", func(t *engine.Tx) error {
		var later []string
		err := t.Query(ctx, lockKeyUses, []any{slices.Sorted(maps.Keys(last))}, func(rows engine.Rows) error {
			var id string
			var at int64
			err := rows.Scan(&id, &at)
			if at < last[id] {
				later = append(later, id)
			}
			return err
		})
		if err != nil {
			return err
		}
		_, err = t.UpdateRows(ctx, &updateKeyUse, len(later), func(args []any, i int) []any {
			return append(args, last[later[i]], later[i])
		})
		return err
	})
}

func (repo *Repository) listKeys(ctx context.Context, what, condition string, args ...any) ([]account.Key, error) {
	return engine.List(ctx, repo.db, what, "SELECT "+keyColumns+" FROM api_key "+condition, args, readKey)
}

// FindKeyByHash implements [account.Keys].
func (repo *Repository) FindKeyByHash(ctx context.Context, hash [32]byte) (k account.Key, found bool, err error) {
	return repo.findKey(ctx, "WHERE hash = $1", hash[:])
}

// FindKeyByID returns a key. It wraps account.ErrNotFound if there is none.
func (repo *Repository) FindKeyByID(ctx context.Context, id string) (account.Key, error) {
	k, found, err := repo.findKey(ctx, "WHERE id = $1", id)
	if err == nil && !found {
		err = fmt.Errorf("find key %s: %w", id, account.ErrNotFound)
	}
	return k, err
}

func (repo *Repository) findKey(ctx context.Context, condition string, arg any) (k account.Key, found bool, err error) {
	keys, err := repo.listKeys(ctx, "find key", condition, arg)
	if err != nil || len(keys) == 0 {
		return account.Key{}, false, err
	}
	return keys[0], true, nil
}

const nextKeys = "WHERE id > $1 ORDER BY id LIMIT $2"

// ListKeys returns at most limit keys, oldest first, with ids after the given one ("": from the
// first): ids begin with the time.
func (repo *Repository) ListKeys(ctx context.Context, after string, limit int) ([]account.Key, error) {
	return repo.listKeys(ctx, "list keys", nextKeys, after, limit)
}

// KeysSince implements [account.Keys].
func (repo *Repository) KeysSince(ctx context.Context, since account.Mark) (keys []account.Key, upTo account.Mark, err error) {
	upTo, err = ReadSince(ctx, repo.db, "read key changes", "key_change", since, func(q engine.Querier, upTo account.Mark) (err error) {
		if since == (account.Mark{}) || since.Epoch == upTo.Epoch {
			keys, err = engine.ListIn(ctx, q, "SELECT "+keyColumns+" FROM api_key WHERE change > $1", []any{since.Change}, readKey)
		}
		return err
	})
	return keys, upTo, err
}

// ReadSince returns the present mark of a counter of changes. If it is not since, it calls read in a
// snapshot of that mark. A poll without changes is one statement.
func ReadSince(ctx context.Context, db *engine.DB, what, counter string, since account.Mark, read func(engine.Querier, account.Mark) error) (account.Mark, error) {
	var upTo account.Mark
	mark, dest := "SELECT value, "+db.Epoch()+" FROM counter WHERE name = '"+counter+"'", []any{&upTo.Change, &upTo.Epoch}
	if _, err := db.FindRow(ctx, what, mark, nil, dest); err != nil || upTo == since {
		return upTo, err
	}
	err := db.Read(ctx, what, func(q engine.Querier) error { // mark and rows are of the same server
		if _, err := engine.FindIn(ctx, q, mark, nil, dest...); err != nil {
			return err
		}
		return read(q, upTo)
	})
	return upTo, err
}

// revokedListed is how many revoked keys KeysOf returns: as many as users can make themselves while
// they are kept. Operators may have made more for them.
const revokedListed = account.MaxNewKeys * account.RevokedKept / account.NewKeysWindow

const keysOf = `WHERE user_id = $1 AND user_id <> '' AND (revoked_at = 0 OR id IN (
	SELECT id FROM api_key WHERE user_id = $1 AND revoked_at <> 0 ORDER BY id DESC LIMIT $2)) ORDER BY id DESC`

// KeysOf returns the keys of a user, newest first, and of revoked ones the newest 5,400.
func (repo *Repository) KeysOf(ctx context.Context, userID string) ([]account.Key, error) {
	return repo.listKeys(ctx, "list keys of a user", keysOf, userID, revokedListed)
}

const ownerOf = "COALESCE((SELECT email FROM person WHERE person.id = api_key.user_id), '')"

// searchedKeys searches the keys, newest first.
var searchedKeys = Search{What: "search keys", Text: "SELECT id, prefix, name, " + ownerOf + " FROM api_key WHERE id < $1 ORDER BY id DESC LIMIT $2"}

const ownedKeys = "SELECT " + keyColumns + ", " + ownerOf + " FROM api_key WHERE id = ANY($1) ORDER BY id DESC"

// SearchKeys returns at most limit keys of all users, newest first, with ids
// before the id after ("": from the newest). With a query it returns only those
// whose name, id, prefix or owner's email address contains it, in any case. The
// rest is found with next as after, and "" means that nothing is left; see
// [Search.Find], which may stop before it found limit keys.
func (repo *Repository) SearchKeys(ctx context.Context, query, after string, limit int) (keys []account.OwnedKey, next string, err error) {
	found, next, err := searchedKeys.Find(ctx, repo.db, query, after, limit)
	if err != nil {
		return nil, "", err
	}
	keys, err = repo.OwnedKeys(ctx, found)
	return keys, next, err
}

// OwnedKeys returns the keys with some ids, newest first.
func (repo *Repository) OwnedKeys(ctx context.Context, ids []string) ([]account.OwnedKey, error) {
	keys, err := engine.List(ctx, repo.db, "list keys with owners", ownedKeys, []any{ids}, func(rows engine.Rows, k *account.OwnedKey) error {
		return scanKey(rows, &k.Key, &k.Email)
	})
	slices.SortFunc(keys, func(a, b account.OwnedKey) int { return strings.Compare(b.ID, a.ID) })
	return keys, err
}

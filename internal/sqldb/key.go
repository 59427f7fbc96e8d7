package sqldb

import (
	"context"
	"database/sql"
	"fmt"

	"gamedex/internal/account"
)

const keyColumns = "id, hash, prefix, name, user_id, created_at, expires_at, last_used_at, revoked_at, " +
	"suspended_at, suspend_reason, permissions, limit_minute, limit_day"

var insertKey = insertInto("api_key", keyColumns+", change", "")

// CreateKey stores a new key. An id or a token that exists is an error.
func (db *DB) CreateKey(ctx context.Context, k account.Key, by account.By) error {
	return db.write(ctx, "create key", func(t *tx) error {
		change, err := t.next(ctx, "key_change", 1)
		if err != nil {
			return err
		}
		_, err = t.exec(ctx, insertKey.one, k.ID, k.Hash[:], k.Prefix, k.Name, k.UserID, k.CreatedAt, k.ExpiresAt,
			k.LastUsedAt, k.RevokedAt, k.SuspendedAt, k.SuspendReason, k.Permissions.String(), k.LimitMinute, k.LimitDay, change)
		if err != nil {
			return err
		}
		return t.audit(ctx, entry(by, account.KeyCreate, k.ID))
	})
}

// RevokeKey ends a key for good. Revoking again changes nothing. Like the
// methods below it returns the key as it stands, and wraps account.ErrNotFound if there
// is none.
func (db *DB) RevokeKey(ctx context.Context, id string, by account.By) (account.Key, error) {
	return db.changeKey(ctx, id, account.KeyRevoke, by, func(k *account.Key) error {
		if k.RevokedAt == 0 {
			k.RevokedAt = by.At
		}
		return nil
	})
}

// SuspendKey stops a key until it is resumed. A revoked key is an error.
func (db *DB) SuspendKey(ctx context.Context, id, reason string, by account.By) (account.Key, error) {
	return db.changeKey(ctx, id, account.KeySuspend, by, func(k *account.Key) error {
		if k.RevokedAt != 0 {
			return fmt.Errorf("key %s is revoked, which is for good", id)
		}
		if k.SuspendedAt == 0 {
			k.SuspendedAt = by.At
		}
		k.SuspendReason = reason
		return nil
	})
}

// ResumeKey lets a suspended key work again. A revoked key is an error.
func (db *DB) ResumeKey(ctx context.Context, id string, by account.By) (account.Key, error) {
	return db.changeKey(ctx, id, account.KeyResume, by, func(k *account.Key) error {
		if k.RevokedAt != 0 {
			return fmt.Errorf("key %s is revoked, which is for good", id)
		}
		k.SuspendedAt, k.SuspendReason = 0, ""
		return nil
	})
}

// SetKeyLimits gives a key limits of its own; 0 is the default. The caller has
// checked them.
func (db *DB) SetKeyLimits(ctx context.Context, id string, minute, day int, by account.By) (account.Key, error) {
	return db.changeKey(ctx, id, account.KeyLimits, by, func(k *account.Key) error {
		k.LimitMinute, k.LimitDay = minute, day
		return nil
	})
}

// changeKey applies change to a key, with its audit entry and a new number of
// the change counter, unless it changes nothing.
func (db *DB) changeKey(ctx context.Context, id string, action account.Action, by account.By, change func(*account.Key) error) (account.Key, error) {
	var k account.Key
	err := db.write(ctx, "change key", func(t *tx) error {
		// The counter first: its row is locked until commit, so that changes
		// become visible in order.
		seq, err := t.next(ctx, "key_change", 1)
		if err != nil {
			return err
		}
		if k, err = t.key(ctx, id); err != nil {
			return err
		}
		before := k
		if err := change(&k); err != nil || k == before {
			return err
		}
		_, err = t.exec(ctx, `UPDATE api_key SET revoked_at = $1, suspended_at = $2, suspend_reason = $3,
			limit_minute = $4, limit_day = $5, change = $6 WHERE id = $7`,
			k.RevokedAt, k.SuspendedAt, k.SuspendReason, k.LimitMinute, k.LimitDay, seq, id)
		if err != nil {
			return err
		}
		return t.audit(ctx, entry(by, action, id))
	})
	if err != nil {
		return account.Key{}, err
	}
	return k, nil
}

func (t *tx) key(ctx context.Context, id string) (k account.Key, err error) {
	found := false
	err = t.query(ctx, "SELECT "+keyColumns+" FROM api_key WHERE id = $1", []any{id}, func(rows *sql.Rows) error {
		found = true
		return scanKey(rows, &k)
	})
	if err == nil && !found {
		err = fmt.Errorf("key %s: %w", id, account.ErrNotFound)
	}
	return k, err
}

func scanKey(rows *sql.Rows, k *account.Key) error {
	var hash sql.RawBytes
	var permissions string
	err := rows.Scan(&k.ID, &hash, &k.Prefix, &k.Name, &k.UserID, &k.CreatedAt, &k.ExpiresAt, &k.LastUsedAt,
		&k.RevokedAt, &k.SuspendedAt, &k.SuspendReason, &permissions, &k.LimitMinute, &k.LimitDay)
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

// keys collects the keys that a condition chooses.
func (db *DB) keys(ctx context.Context, what, condition string, args ...any) ([]account.Key, error) {
	var keys []account.Key
	text := "SELECT " + keyColumns + " FROM api_key " + condition
	err := db.query(ctx, what, text, args, func(rows *sql.Rows) error {
		var k account.Key
		if err := scanKey(rows, &k); err != nil {
			return err
		}
		keys = append(keys, k)
		return nil
	})
	return keys, err
}

// FindKeyByHash gives the key whose token has this SHA-256; found is false if
// there is none.
func (db *DB) FindKeyByHash(ctx context.Context, hash [32]byte) (k account.Key, found bool, err error) {
	keys, err := db.keys(ctx, "find key", "WHERE hash = $1", hash[:])
	if err != nil || len(keys) == 0 {
		return account.Key{}, false, err
	}
	return keys[0], true, nil
}

// FindKeyByID wraps account.ErrNotFound if there is no such key.
func (db *DB) FindKeyByID(ctx context.Context, id string) (account.Key, error) {
	keys, err := db.keys(ctx, "find key", "WHERE id = $1", id)
	if err == nil && len(keys) == 0 {
		err = fmt.Errorf("find key %s: %w", id, account.ErrNotFound)
	}
	if err != nil {
		return account.Key{}, err
	}
	return keys[0], nil
}

// ListKeys gives all keys, oldest first.
func (db *DB) ListKeys(ctx context.Context) ([]account.Key, error) {
	return db.keys(ctx, "list keys", "ORDER BY created_at, id")
}

// KeysSince gives the keys that changed after the change counter stood at seq,
// and where it stands now.
func (db *DB) KeysSince(ctx context.Context, seq int64) (keys []account.Key, upTo int64, err error) {
	// The counter is read first: a change that comes between the two reads is
	// given now and once more the next time, and never missed.
	_, err = db.find(ctx, "read key changes", "SELECT value FROM counter WHERE name = 'key_change'", nil, []any{&upTo})
	if err != nil || upTo == seq {
		return nil, upTo, err
	}
	keys, err = db.keys(ctx, "read key changes", "WHERE change > $1", seq)
	return keys, upTo, err
}

// SaveKeyUses moves the time of last use of keys forward, never back.
func (db *DB) SaveKeyUses(ctx context.Context, uses []account.KeyUse) error {
	return db.write(ctx, "save key uses", func(t *tx) error {
		for _, u := range uses {
			_, err := t.exec(ctx, "UPDATE api_key SET last_used_at = $1 WHERE id = $2 AND last_used_at < $1", u.At, u.KeyID)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

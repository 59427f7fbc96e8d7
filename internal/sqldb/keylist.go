package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"gamedex/internal/account"
)

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

const keysOf = "WHERE user_id = $1 AND user_id <> '' ORDER BY id DESC"

// KeysOf gives the keys of a user, revoked ones included, newest first.
func (db *DB) KeysOf(ctx context.Context, userID string) ([]account.Key, error) {
	return db.keys(ctx, "list keys of a user", keysOf, userID)
}

const ownedKeys = "SELECT " + keyColumns + `,
	COALESCE((SELECT email FROM person WHERE person.id = api_key.user_id), '') FROM api_key`

// errEnough ends a search.
var errEnough = errors.New("enough")

// SearchKeys gives at most limit keys of everybody, newest first, from the one
// whose id comes before the given one ("": the newest). With query not empty
// only those whose name, id, prefix or owner's email address has it in it, in
// any case. It looks at one key after the other: the engine knows the cases of
// ASCII letters only.
func (db *DB) SearchKeys(ctx context.Context, query, after string, limit int) ([]account.OwnedKey, error) {
	if tooLong(query) || limit <= 0 {
		return nil, nil
	}
	text, args := ownedKeys+" ORDER BY id DESC", []any(nil)
	if after != "" {
		text, args = ownedKeys+" WHERE id < $1 ORDER BY id DESC", []any{after}
	}
	var keys []account.OwnedKey
	query = strings.ToLower(query)
	err := db.query(ctx, "search keys", text, args, func(rows *sql.Rows) error {
		var k account.OwnedKey
		if err := scanKey(rows, &k.Key, &k.Email); err != nil {
			return err
		}
		if matches(&k, query) {
			keys = append(keys, k)
		}
		if len(keys) == limit {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return keys, nil
}

func matches(k *account.OwnedKey, query string) bool {
	for _, text := range []string{k.Name, k.ID, k.Prefix, k.Email} {
		if strings.Contains(strings.ToLower(text), query) {
			return true
		}
	}
	return false
}

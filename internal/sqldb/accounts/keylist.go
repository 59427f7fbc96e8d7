package accounts

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"unicode"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
)

func (store *Store) listKeys(ctx context.Context, what, condition string, args ...any) ([]account.Key, error) {
	text := "SELECT " + keyColumns + " FROM api_key " + condition
	return sqldb.List(ctx, store.db, what, text, args, func(rows *sql.Rows, k *account.Key) error { return scanKey(rows, k) })
}

// FindKeyByHash returns the key whose token has this SHA-256; found is false if
// there is none.
func (store *Store) FindKeyByHash(ctx context.Context, hash [32]byte) (k account.Key, found bool, err error) {
	keys, err := store.listKeys(ctx, "find key", "WHERE hash = $1", hash[:])
	if err != nil || len(keys) == 0 {
		return account.Key{}, false, err
	}
	return keys[0], true, nil
}

// FindKeyByID returns a key. It wraps account.ErrNotFound if there is none.
func (store *Store) FindKeyByID(ctx context.Context, id string) (account.Key, error) {
	keys, err := store.listKeys(ctx, "find key", "WHERE id = $1", id)
	if err != nil {
		return account.Key{}, err
	}
	if len(keys) == 0 {
		return account.Key{}, fmt.Errorf("find key %s: %w", id, account.ErrNotFound)
	}
	return keys[0], nil
}

// ListKeys returns all keys, oldest first.
func (store *Store) ListKeys(ctx context.Context) ([]account.Key, error) {
	return store.listKeys(ctx, "list keys", "ORDER BY created_at, id")
}

// KeysSince returns the keys that changed after the change counter was seq, and
// its current value.
func (store *Store) KeysSince(ctx context.Context, seq int64) (keys []account.Key, upTo int64, err error) {
	// The counter is read first: a change between the two reads is returned now
	// and once more the next time, and never missed.
	_, err = store.db.FindRow(ctx, "read key changes", "SELECT value FROM counter WHERE name = 'key_change'", nil, []any{&upTo})
	if err != nil || upTo == seq {
		return nil, upTo, err
	}
	keys, err = store.listKeys(ctx, "read key changes", "WHERE change > $1", seq)
	return keys, upTo, err
}

const keysOf = "WHERE user_id = $1 AND user_id <> '' ORDER BY id DESC"

// KeysOf returns the keys of a user, revoked ones included, newest first.
func (store *Store) KeysOf(ctx context.Context, userID string) ([]account.Key, error) {
	return store.listKeys(ctx, "list keys of a user", keysOf, userID)
}

const ownedKeys = "SELECT " + keyColumns + `,
	COALESCE((SELECT email FROM person WHERE person.id = api_key.user_id), '') FROM api_key`

// withText selects the keys that have the lower-case text $1 in an ASCII or
// lower-case column, or a name that matches the GLOB pattern $2.
const withText = ` (instr(lower(id), $1) OR instr(lower(prefix), $1) OR name GLOB $2
	OR user_id IN (SELECT id FROM person WHERE instr(email, $1)))`

// SearchKeys returns at most limit keys of all users, newest first, with ids
// before the id after ("": from the newest). With a query it returns only those
// whose name, id, prefix or owner's email address contains it, in any case. It
// scans the keys one by one.
func (store *Store) SearchKeys(ctx context.Context, query, after string, limit int) ([]account.OwnedKey, error) {
	if cannotMatch(query) {
		return nil, nil
	}
	query = strings.ToLower(query)
	text, args := ownedKeys+" WHERE"+withText, []any{query, anyCasePattern(query), max(limit, 0)}
	if after != "" {
		text, args = text+" AND id < $4", append(args, after)
	}
	text += " ORDER BY id DESC LIMIT $3"
	return sqldb.List(ctx, store.db, "search keys", text, args, func(rows *sql.Rows, k *account.OwnedKey) error {
		return scanKey(rows, &k.Key, &k.Email)
	})
}

// anyCasePattern returns the GLOB pattern of the texts that contain query, which
// is in lower case, in any case: LIKE ignores the case of ASCII letters only.
func anyCasePattern(query string) string {
	var b strings.Builder
	b.WriteByte('*')
	for _, r := range query {
		cases := string(r)
		for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
			if unicode.ToLower(c) == r {
				cases += string(c)
			}
		}
		if r == 'i' {
			cases += "\u0130" // the dotted capital, which folds to nothing
		}
		if len(cases) > len(string(r)) || strings.ContainsRune("*?[", r) {
			cases = "[" + cases + "]"
		}
		b.WriteString(cases)
	}
	b.WriteByte('*')
	return b.String()
}

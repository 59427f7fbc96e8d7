package accounts

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"unicode"

	"gamedex/internal/account"
)

// keys collects the keys that a condition chooses.
func (store *Store) keys(ctx context.Context, what, condition string, args ...any) ([]account.Key, error) {
	var keys []account.Key
	text := "SELECT " + keyColumns + " FROM api_key " + condition
	err := store.db.Query(ctx, what, text, args, func(rows *sql.Rows) error {
		var k account.Key
		if err := scanKey(rows, &k); err != nil {
			return err
		}
		keys = append(keys, k)
		return nil
	})
	return keys, err
}

// FindKeyByHash returns the key whose token has this SHA-256; found is false if
// there is none.
func (store *Store) FindKeyByHash(ctx context.Context, hash [32]byte) (k account.Key, found bool, err error) {
	keys, err := store.keys(ctx, "find key", "WHERE hash = $1", hash[:])
	if err != nil || len(keys) == 0 {
		return account.Key{}, false, err
	}
	return keys[0], true, nil
}

// FindKeyByID wraps account.ErrNotFound if there is no such key.
func (store *Store) FindKeyByID(ctx context.Context, id string) (account.Key, error) {
	keys, err := store.keys(ctx, "find key", "WHERE id = $1", id)
	if err == nil && len(keys) == 0 {
		err = fmt.Errorf("find key %s: %w", id, account.ErrNotFound)
	}
	if err != nil {
		return account.Key{}, err
	}
	return keys[0], nil
}

// ListKeys returns all keys, oldest first.
func (store *Store) ListKeys(ctx context.Context) ([]account.Key, error) {
	return store.keys(ctx, "list keys", "ORDER BY created_at, id")
}

// KeysSince returns the keys that changed after the change counter stood at seq,
// and where it stands now.
func (store *Store) KeysSince(ctx context.Context, seq int64) (keys []account.Key, upTo int64, err error) {
	// The counter is read first: a change that comes between the two reads is
	// given now and once more the next time, and never missed.
	_, err = store.db.FindRow(ctx, "read key changes", "SELECT value FROM counter WHERE name = 'key_change'", nil, []any{&upTo})
	if err != nil || upTo == seq {
		return nil, upTo, err
	}
	keys, err = store.keys(ctx, "read key changes", "WHERE change > $1", seq)
	return keys, upTo, err
}

const keysOf = "WHERE user_id = $1 AND user_id <> '' ORDER BY id DESC"

// KeysOf returns the keys of a user, revoked ones included, newest first.
func (store *Store) KeysOf(ctx context.Context, userID string) ([]account.Key, error) {
	return store.keys(ctx, "list keys of a user", keysOf, userID)
}

const ownedKeys = "SELECT " + keyColumns + `,
	COALESCE((SELECT email FROM person WHERE person.id = api_key.user_id), '') FROM api_key`

// withText chooses the keys that have the lower-case text $1 in what is ASCII
// or in lower case already, or a name that fits the GLOB pattern $2.
const withText = ` (instr(lower(id), $1) OR instr(lower(prefix), $1) OR name GLOB $2
	OR user_id IN (SELECT id FROM person WHERE instr(email, $1)))`

// SearchKeys returns at most limit keys of everybody, newest first, from the one
// whose id comes before the given one ("": the newest). With query not empty
// only those whose name, id, prefix or owner's email address has it in it, in
// any case. The engine looks at one key after the other.
func (store *Store) SearchKeys(ctx context.Context, query, after string, limit int) ([]account.OwnedKey, error) {
	if tooLong(query) {
		return nil, nil
	}
	query = strings.ToLower(query)
	text, args := ownedKeys+" WHERE"+withText, []any{query, anyCase(query), max(limit, 0)}
	if after != "" {
		text, args = text+" AND id < $4", append(args, after)
	}
	var keys []account.OwnedKey
	err := store.db.Query(ctx, "search keys", text+" ORDER BY id DESC LIMIT $3", args, func(rows *sql.Rows) error {
		var k account.OwnedKey
		err := scanKey(rows, &k.Key, &k.Email)
		keys = append(keys, k)
		return err
	})
	return keys, err
}

// anyCase is the GLOB pattern of the texts that have query, in lower case, in
// them in any case: LIKE knows the cases of ASCII letters only.
func anyCase(query string) string {
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

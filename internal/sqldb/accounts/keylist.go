package accounts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/sqldb/engine"
)

func (repo *Repository) listKeys(ctx context.Context, what, condition string, args ...any) ([]account.Key, error) {
	text := "SELECT " + keyColumns + " FROM api_key " + condition
	return engine.List(ctx, repo.db, what, text, args, func(rows engine.Rows, k *account.Key) error { return scanKey(rows, k) })
}

// FindKeyByHash returns the key whose token has this SHA-256; found is false if
// there is none.
func (repo *Repository) FindKeyByHash(ctx context.Context, hash [32]byte) (k account.Key, found bool, err error) {
	keys, err := repo.listKeys(ctx, "find key", "WHERE hash = $1", hash[:])
	if err != nil || len(keys) == 0 {
		return account.Key{}, false, err
	}
	return keys[0], true, nil
}

// FindKeyByID returns a key. It wraps account.ErrNotFound if there is none.
func (repo *Repository) FindKeyByID(ctx context.Context, id string) (account.Key, error) {
	keys, err := repo.listKeys(ctx, "find key", "WHERE id = $1", id)
	if err != nil {
		return account.Key{}, err
	}
	if len(keys) == 0 {
		return account.Key{}, fmt.Errorf("find key %s: %w", id, account.ErrNotFound)
	}
	return keys[0], nil
}

// ListKeys returns all keys, oldest first.
func (repo *Repository) ListKeys(ctx context.Context) ([]account.Key, error) {
	return repo.listKeys(ctx, "list keys", "ORDER BY created_at, id")
}

// KeysSince returns the keys that changed after a mark, and the current one; see
// account.Keys. A poll without changes is one statement.
func (repo *Repository) KeysSince(ctx context.Context, since account.Mark) (keys []account.Key, upTo account.Mark, err error) {
	mark := "SELECT value, " + repo.db.Epoch() + " FROM counter WHERE name = 'key_change'"
	scan := []any{&upTo.Change, &upTo.Epoch}
	_, err = repo.db.FindRow(ctx, "read key changes", mark, nil, scan)
	if err != nil || upTo == since {
		return nil, upTo, err
	}
	// One snapshot: mark and keys are of the same server.
	err = repo.db.Read(ctx, func(r *engine.ReadTx) error {
		if err := r.Query(mark, nil, func(rows engine.Rows) error { return rows.Scan(scan...) }); err != nil {
			return err
		}
		if since != (account.Mark{}) && since.Epoch != upTo.Epoch {
			return nil
		}
		return r.Query("SELECT "+keyColumns+" FROM api_key WHERE change > $1", []any{since.Change}, func(rows engine.Rows) error {
			var k account.Key
			err := scanKey(rows, &k)
			keys = append(keys, k)
			return err
		})
	})
	if err != nil {
		return nil, account.Mark{}, fmt.Errorf("read key changes: %w", err)
	}
	return keys, upTo, nil
}

const keysOf = "WHERE user_id = $1 AND user_id <> '' ORDER BY id DESC"

// KeysOf returns the keys of a user, revoked ones included, newest first.
func (repo *Repository) KeysOf(ctx context.Context, userID string) ([]account.Key, error) {
	return repo.listKeys(ctx, "list keys of a user", keysOf, userID)
}

const ownerOf = "COALESCE((SELECT email FROM person WHERE person.id = api_key.user_id), '')"

// searchedKeys are the texts that a search looks into, newest key first.
const searchedKeys = "SELECT id, prefix, name, " + ownerOf + " FROM api_key WHERE id < $1 ORDER BY id DESC LIMIT $2"

const ownedKeys = "SELECT " + keyColumns + ", " + ownerOf + " FROM api_key WHERE id = ANY($1) ORDER BY id DESC"

// keysPerPage is the most keys that a search reads at once.
const keysPerPage = 1000

// SearchKeys returns at most limit keys of all users, newest first, with ids
// before the id after ("": from the newest). With a query it returns only those
// whose name, id, prefix or owner's email address contains it, in any case. It
// scans the keys one by one: engines differ in what they take for the same letter.
func (repo *Repository) SearchKeys(ctx context.Context, query, after string, limit int) ([]account.OwnedKey, error) {
	query = strings.ToLower(query)
	if after == "" {
		after = "\U0010ffff"
	}
	var found []string
	for len(found) < limit {
		read, page := 0, keysPerPage
		if query == "" {
			page = limit
		}
		err := repo.db.Query(ctx, "search keys", searchedKeys, []any{after, page}, func(rows engine.Rows) error {
			var prefix, name, email string
			err := rows.Scan(&after, &prefix, &name, &email)
			for _, text := range []string{after, prefix, name, email} {
				if strings.Contains(strings.ToLower(text), query) {
					found = append(found, after)
					break
				}
			}
			read++
			return err
		})
		if err != nil {
			return nil, err
		}
		if read < page {
			break
		}
	}
	found = found[:min(len(found), max(limit, 0))]
	keys, err := engine.List(ctx, repo.db, "search keys", ownedKeys, []any{found}, func(rows engine.Rows, k *account.OwnedKey) error {
		return scanKey(rows, &k.Key, &k.Email)
	})
	slices.SortFunc(keys, func(a, b account.OwnedKey) int { return strings.Compare(b.ID, a.ID) })
	return keys, err
}

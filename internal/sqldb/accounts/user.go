package accounts

import (
	"context"
	"fmt"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/sqldb/engine"
)

const userColumns = "id, email, password_hash, admin, created_at, signed_in_at, disabled_at, epoch"

var insertUser = engine.Insert{Table: "person", Columns: userColumns, Then: "ON CONFLICT (email) DO NOTHING"}

// CreateUser stores a new user, whose email address is in lower case. It wraps
// account.ErrEmailTaken if another user has the address. It deletes an open
// set-up link, which is for a service without users.
func (repo *Repository) CreateUser(ctx context.Context, u account.User, by account.By) error {
	return repo.writeUsers(ctx, "create user", func(t *engine.Tx) error { return createUser(ctx, t, u, by) })
}

// writeUsers runs fn in a transaction that keeps others from changing users, their identities
// and links until commit, so that what fn reads of them stays correct.
func (repo *Repository) writeUsers(ctx context.Context, what string, fn func(*engine.Tx) error) error {
	return repo.db.Write(ctx, what, func(t *engine.Tx) error {
		if _, err := t.RaiseCounter(ctx, "person_change", 1); err != nil {
			return err
		}
		return fn(t)
	})
}

func createUser(ctx context.Context, t *engine.Tx, u account.User, by account.By) error {
	created, err := t.InsertRow(ctx, &insertUser, u.ID, u.Email, u.PasswordHash, engine.BoolInt(u.Admin),
		u.CreatedAt, u.SignedInAt, u.DisabledAt, u.Epoch)
	if err != nil {
		return err
	}
	if !created {
		return account.ErrEmailTaken
	}
	if _, err := t.Exec(ctx, "DELETE FROM link WHERE purpose = $1", string(account.LinkSetup)); err != nil {
		return err
	}
	if u.Admin && by.Detail == "" {
		by.Detail = "administrator"
	}
	return WriteAudit(ctx, t, by.Entry(account.UserCreate, u.ID))
}

// readUser returns a user. It wraps account.ErrNotFound if there is none.
func readUser(ctx context.Context, t *engine.Tx, id string) (u account.User, err error) {
	found, err := t.FindRow(ctx, "SELECT "+userColumns+" FROM person WHERE id = $1", []any{id}, userFields(&u))
	if err == nil && !found {
		err = fmt.Errorf("user %s: %w", id, account.ErrNotFound)
	}
	return u, err
}

// userFields returns the destinations of userColumns.
func userFields(u *account.User) []any {
	return []any{&u.ID, &u.Email, &u.PasswordHash, (*engine.Bool)(&u.Admin), &u.CreatedAt, &u.SignedInAt, &u.DisabledAt, &u.Epoch}
}

// FindUser returns a user. It wraps account.ErrNotFound if there is none.
func (repo *Repository) FindUser(ctx context.Context, id string) (account.User, error) {
	u, found, err := repo.findUser(ctx, "WHERE id = $1", id)
	if err == nil && !found {
		err = fmt.Errorf("find user %s: %w", id, account.ErrNotFound)
	}
	return u, err
}

// FindUserByEmail returns the user with this address, in lower case; found is
// false if there is none.
func (repo *Repository) FindUserByEmail(ctx context.Context, email string) (u account.User, found bool, err error) {
	return repo.findUser(ctx, "WHERE email = $1", email)
}

// FindUserByIdentity returns the user to whom AddIdentity linked a provider's
// subject; found is false if there is none.
func (repo *Repository) FindUserByIdentity(ctx context.Context, issuer, subject string) (u account.User, found bool, err error) {
	return repo.findUser(ctx, "WHERE id IN (SELECT user_id FROM identity WHERE issuer = $1 AND subject = $2)", issuer, subject)
}

func (repo *Repository) findUser(ctx context.Context, condition string, args ...any) (u account.User, found bool, err error) {
	found, err = repo.db.FindRow(ctx, "find user", "SELECT "+userColumns+" FROM person "+condition, args, userFields(&u))
	return u, found, err
}

const listUsers = "SELECT " + userColumns + `,
	(SELECT COUNT(*) FROM api_key k WHERE k.user_id = person.id AND k.revoked_at = 0)
	FROM person WHERE id > $1 AND email LIKE $2 ESCAPE '\' ORDER BY id LIMIT $3`

// ListUsers returns at most limit users, oldest first, with ids after the given
// one ("": from the first). With a query it returns only those whose email
// address contains it, in any case and without wildcards.
func (repo *Repository) ListUsers(ctx context.Context, query, after string, limit int) ([]account.UserSummary, error) {
	if cannotMatch(query) {
		return nil, nil
	}
	pattern := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.ToLower(query)) + "%"
	args := []any{after, pattern, max(limit, 0)}
	return engine.List(ctx, repo.db, "list users", listUsers, args, func(rows engine.Rows, u *account.UserSummary) error {
		return rows.Scan(append(userFields(&u.User), &u.Keys)...)
	})
}

// cannotMatch reports whether no stored text can contain query. The engine refuses
// to search for very long texts, and treats a zero byte as the end.
func cannotMatch(query string) bool { return len(query) > 1000 || strings.ContainsRune(query, 0) }

// CountUsers returns the number of users, disabled ones included.
func (repo *Repository) CountUsers(ctx context.Context) (n int, err error) {
	_, err = repo.db.FindRow(ctx, "count users", "SELECT COUNT(*) FROM person", nil, []any{&n})
	return n, err
}

// AddIdentity links a provider's subject to a user. Linking again changes
// nothing; an identity of another user is an error. It wraps account.ErrNotFound
// if there is no such user.
func (repo *Repository) AddIdentity(ctx context.Context, userID, issuer, subject string, by account.By) error {
	return repo.writeUsers(ctx, "add identity", func(t *engine.Tx) error {
		if _, err := readUser(ctx, t, userID); err != nil {
			return err
		}
		const add = "INSERT INTO identity (issuer, subject, user_id) VALUES ($1, $2, $3) ON CONFLICT (issuer, subject) DO NOTHING"
		added, err := t.Exec(ctx, add, issuer, subject, userID)
		if err != nil {
			return err
		}
		if added > 0 {
			return WriteAudit(ctx, t, by.Entry(account.UserIdentity, userID))
		}
		var owner string
		_, err = t.FindRow(ctx, "SELECT user_id FROM identity WHERE issuer = $1 AND subject = $2", []any{issuer, subject}, []any{&owner})
		if err == nil && owner != userID {
			err = fmt.Errorf("this identity of %s belongs to another user", issuer)
		}
		return err
	})
}

// Check reports keys and identities whose user does not exist.
func Check(ctx context.Context, q engine.Querier, faults *engine.Faults) error {
	const text = `SELECT 'key ' || id, user_id FROM api_key WHERE user_id <> '' AND user_id NOT IN (SELECT id FROM person)
		UNION ALL SELECT 'an identity of ' || issuer, user_id FROM identity WHERE user_id NOT IN (SELECT id FROM person) LIMIT 20`
	return q.Query(ctx, text, nil, func(rows engine.Rows) error {
		var what, owner string
		err := rows.Scan(&what, &owner)
		faults.AddFault("%s belongs to user %s, who does not exist", what, owner)
		return err
	})
}

package node

import (
	"context"
	"crypto/rand"
	"os/user"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
)

// CreateKey issues a key and stores it with its audit entry. It returns the key
// and its token, which is stored nowhere.
func CreateKey(ctx context.Context, db *sqldb.DB, draft account.Draft, now time.Time) (account.Key, string, error) {
	key, token, err := draft.Issue(now.UnixMilli(), rand.Reader)
	if err != nil {
		return account.Key{}, "", err
	}
	if err := db.Accounts.CreateKey(ctx, key, ByCommand(now)); err != nil {
		return account.Key{}, "", err
	}
	return key, token, nil
}

// CreateUser stores a new user. The caller has checked the password.
func CreateUser(ctx context.Context, db *sqldb.DB, email, password string, admin bool, now time.Time) (account.User, error) {
	phc, err := account.NewPasswords(1).Hash(ctx, password)
	if err != nil {
		return account.User{}, err
	}
	id, err := account.NewUserID(now.UnixMilli(), rand.Reader)
	if err != nil {
		return account.User{}, err
	}
	u := account.User{ID: id, Email: email, PasswordHash: phc, Admin: admin, CreatedAt: now.UnixMilli()}
	return u, db.Accounts.CreateUser(ctx, u, ByCommand(now))
}

// ByCommand returns the actor of audit entries for what a command does: the
// system user who runs it.
func ByCommand(now time.Time) account.By {
	actor := "cli:unknown"
	if u, err := user.Current(); err == nil {
		actor = "cli:" + u.Username
	}
	return account.By{At: now.UnixMilli(), Actor: actor}
}

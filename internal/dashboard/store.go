package dashboard

import (
	"context"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/sweep"
)

// Store is what the dashboard needs of the database. Its errors wrap those of
// package account where they have a meaning: ErrNotFound, ErrEmailTaken,
// ErrLastAdmin, ErrLinkGone, ErrTooManyKeys. Every change is in the audit log
// when it returns.
type Store interface {
	Users
	UserChanges
	Links
	web.Store
	Keys
	KeyChanges
	History
	Audit
	Platforms
}

// Users finds users.
type Users interface {
	FindUserByEmail(ctx context.Context, email string) (u account.User, found bool, err error)
	// ListUsers gives users with an id above after, by id, whose email
	// contains query.
	ListUsers(ctx context.Context, query, after string, limit int) ([]account.UserSummary, error)
}

// UserChanges changes users. What takes rights away ends the user's sessions.
type UserChanges interface {
	EndSessions(ctx context.Context, userID string, by account.By) error
	SetAdmin(ctx context.Context, userID string, admin bool, by account.By) error
	DisableUser(ctx context.Context, userID string, by account.By) error
	EnableUser(ctx context.Context, userID string, by account.By) error
	DeleteUser(ctx context.Context, userID string, by account.By) error
}

// Links keeps one-time links.
type Links interface {
	SaveLink(ctx context.Context, l account.Link, by account.By) error
	OpenLinks(ctx context.Context, now int64) ([]account.Link, error)
	RevokeLink(ctx context.Context, hash [32]byte, by account.By) error
}

// Keys finds keys.
type Keys interface {
	FindKeyByID(ctx context.Context, id string) (account.Key, error)
	// KeysOf gives a user's keys, newest first.
	KeysOf(ctx context.Context, userID string) ([]account.Key, error)
	// SearchKeys gives keys with an id below after (any, if it is empty),
	// newest first, with query in their name, id, prefix or owner's email.
	SearchKeys(ctx context.Context, query, after string, limit int) ([]account.OwnedKey, error)
}

// KeyChanges changes keys; the API follows within two seconds.
type KeyChanges interface {
	RevokeKey(ctx context.Context, id string, by account.By) (account.Key, error)
	SuspendKey(ctx context.Context, id, reason string, by account.By) (account.Key, error)
	ResumeKey(ctx context.Context, id string, by account.By) (account.Key, error)
	SetKeyLimits(ctx context.Context, id string, minute, day int, by account.By) (account.Key, error)
}

// History is what happened before.
type History interface {
	// PriceHistory gives the prices that a listing has had, oldest first.
	PriceHistory(ctx context.Context, key catalog.Key) ([]catalog.PriceChange, error)
}

// Audit is the record of what was done.
type Audit interface {
	SearchAudit(ctx context.Context, q account.AuditQuery) ([]account.AuditEntry, error)
}

// Platforms says how collection stands, and overrides what is said of it.
type Platforms interface {
	ListingCount(ctx context.Context) (int, error)
	// RatesSource says who gave the stored exchange rates, and when they were
	// taken; "" and 0 before there are any.
	RatesSource(ctx context.Context) (source string, updatedAt int64, err error)
	Collections(ctx context.Context) ([]sweep.Collection, error)
	Sweeps(ctx context.Context, now catalog.Millis) ([]sweep.State, error)
	PlatformOverrides(ctx context.Context) (map[catalog.Platform]string, error)
	// SetPlatform overrides a status; "" takes the override back.
	SetPlatform(ctx context.Context, p catalog.Platform, status string, by account.By) error
}

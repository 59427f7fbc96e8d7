package keys

import (
	"context"
	"embed"
	"net/http"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/quota"
)

// Templates are the templates of this package's pages.
//
//go:embed templates
var Templates embed.FS

// Store keeps keys and their usage. The API follows its changes within two
// seconds. Its errors wrap account.ErrNotFound, account.ErrTooManyKeys and
// account.ErrTooManyNewKeys.
type Store interface {
	FindKeyByID(ctx context.Context, id string) (account.Key, error)
	// KeysOf returns a user's keys, newest first.
	KeysOf(ctx context.Context, userID string) ([]account.Key, error)
	CreateKey(ctx context.Context, k account.Key, by account.By) error
	RenameKey(ctx context.Context, id, name string, by account.By) (account.Key, error)
	RevokeKey(ctx context.Context, id string, by account.By) (account.Key, error)
	// UsageByHour sums the stored requests of keys by hour, route and outcome.
	// KeyID and Run are empty.
	UsageByHour(ctx context.Context, keyIDs []string, sinceHour int64) ([]quota.UsageRow, error)
}

// Config is what the pages need besides the site. Counter and Limits are those of
// the API.
type Config struct {
	Store   Store
	Counter quota.Counter
	Limits  quota.Limits // of keys without limits of their own
	// OwnerLimits returns what all keys of a user may use together. A key without
	// limits of its own adds minute and day.
	OwnerLimits func(userID string, minute, day int) (sumMinute, sumDay int)
	// Flush stores the requests that this process has counted so far. If it
	// fails, pages show what is stored.
	Flush func(context.Context) error
	// LastUsed returns when this process saw the key with a hash last, in Unix
	// milliseconds; 0 if it did not.
	LastUsed func(hash [32]byte) int64
	// Example returns the title and the id of a game that the catalog has; "" if there is
	// none.
	Example func(v *web.Visit) (title, id string)
}

// Pages are the pages of this package. Create them with [New].
type Pages struct {
	Config
	site *web.Site
}

// New registers the pages with the site.
func New(site *web.Site, cfg Config) *Pages {
	p := &Pages{Config: cfg, site: site}
	site.Handle("GET /keys", web.SignedIn, p.listKeys)
	site.Handle("GET /keys/new", web.SignedIn, func(v *web.Visit) error {
		return p.showKeyForm(v, http.StatusOK, keyForm{Catalog: true, Account: true, Expires: "never"})
	})
	site.Handle("POST /keys/new", web.SignedIn, p.createKey)
	site.Handle("GET /keys/{id}", web.SignedIn, p.withKey(func(v *web.Visit, k account.Key) error {
		return p.showKey(v, http.StatusOK, k, k.Name, nil)
	}))
	site.Handle("POST /keys/{id}/name", web.SignedIn, p.withKey(p.renameKey))
	site.Handle("GET /keys/{id}/revoke", web.SignedIn, p.withKey(p.revokePage))
	site.Handle("POST /keys/{id}/revoke", web.SignedIn, p.withKey(p.revokeKey))
	site.Handle("GET /usage", web.SignedIn, p.usage)
	return p
}

package keys

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/quota"
)

// Repository keeps keys and their usage. The API follows its changes within two
// seconds. Its errors wrap account.ErrNotFound, account.ErrTooManyKeys and
// account.ErrTooManyNewKeys.
type Repository interface {
	FindKeyByID(ctx context.Context, id string) (account.Key, error)
	// KeysOf returns a user's keys, newest first, and of revoked ones the last few thousand.
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
	Repository Repository
	Counter    quota.Counter
	Limits     quota.Limits // of keys without limits of their own
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
		form := keyForm{Permissions: account.DefaultPermissions, Expires: "never"}
		if v.Form("permission") == account.WriteWebhooks.String() {
			form.Permissions |= account.WriteWebhooks
		}
		return p.showKeyForm(v, http.StatusOK, form, nil)
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

// withKey returns a handler that gets the key in the path. Another user's key is not found.
func (p *Pages) withKey(handle func(*web.Visit, account.Key) error) func(*web.Visit) error {
	return web.WithFound(func(v *web.Visit) (account.Key, error) {
		k, err := p.Repository.FindKeyByID(v.Context(), v.R.PathValue("id"))
		if k.UserID != v.User.ID {
			err = cmp.Or(err, account.ErrNotFound)
		}
		return k, err
	}, handle)
}

// listKeys shows the visitor's keys, the active ones first.
func (p *Pages) listKeys(v *web.Visit) error {
	keys, err := p.Repository.KeysOf(v.Context(), v.User.ID)
	if err != nil {
		return web.DatabaseError(err)
	}
	var active, others []View
	var view listView
	for _, k := range keys {
		switch status := k.Status(v.Now()); {
		case status == account.StatusRevoked && len(view.Revoked) == maxRevoked:
			view.Older++
		case status == account.StatusRevoked:
			view.Revoked = append(view.Revoked, View{Key: k})
		case status == account.StatusActive:
			active = append(active, p.View(v, k))
		default:
			others = append(others, p.View(v, k))
		}
	}
	view.Keys = append(active, others...)
	for _, k := range view.Keys {
		view.Owner = cmp.Or(view.Owner, k.Owner)
	}
	if len(active) > 0 {
		view.First = p.FirstRequestsOf(v, active)
	}
	return v.Render(http.StatusOK, "keys", view)
}

// Recent returns the n active keys of the visitor that were used last, and how many more
// there are.
func (p *Pages) Recent(v *web.Visit, n int) (views []View, more int, err error) {
	keys, err := p.Repository.KeysOf(v.Context(), v.User.ID)
	if err != nil {
		return nil, 0, web.DatabaseError(err)
	}
	keys = slices.DeleteFunc(keys, func(k account.Key) bool { return k.Status(v.Now()) != account.StatusActive })
	for i := range keys {
		keys[i].LastUsedAt = max(keys[i].LastUsedAt, p.LastUsed(keys[i].Hash))
	}
	slices.SortStableFunc(keys, func(a, b account.Key) int { return cmp.Compare(b.LastUsedAt, a.LastUsedAt) })
	more = max(0, len(keys)-n)
	for _, k := range keys[:len(keys)-more] {
		views = append(views, p.View(v, k))
	}
	return views, more, nil
}

// showKey shows a key, with what was entered for another name and is wrong with it.
func (p *Pages) showKey(v *web.Visit, status int, k account.Key, name string, wrong web.FieldErrors) error {
	usage, err := p.Usage(v, []account.Key{k})
	if err != nil {
		return err
	}
	return v.Render(status, "key", keyPage{Key: p.View(v, k), NewName: name, Errors: wrong, Usage: usage})
}

func (p *Pages) renameKey(v *web.Visit, k account.Key) error {
	name := v.Form("name")
	if err := (account.Draft{Name: name}).Check(v.Now()); err != nil {
		wrong, ok := web.FieldErrorsOf(err)
		if !ok {
			return err
		}
		return p.showKey(v, http.StatusUnprocessableEntity, k, name, wrong)
	}
	_, err := p.Repository.RenameKey(v.Context(), k.ID, name, v.By())
	return v.Stored(err, "/keys/"+k.ID, "keys.renamed", name)
}

func (p *Pages) revokePage(v *web.Visit, k account.Key) error {
	if k.RevokedAt != 0 {
		return v.Redirect("/keys/" + k.ID)
	}
	return v.Render(http.StatusOK, "key-revoke", p.View(v, k))
}

func (p *Pages) revokeKey(v *web.Visit, k account.Key) error {
	k, err := p.Repository.RevokeKey(v.Context(), k.ID, v.By())
	return v.Stored(err, "/keys", "keys.revoked", k.Name)
}

// Command is a request as a curl command, and what it is for.
type Command struct {
	Heading string // key of the message
	Curl    string
}

// FirstRequestsOf returns the requests to begin with for the first of some keys, with a placeholder
// for its token, which only its owner knows.
func (p *Pages) FirstRequestsOf(v *web.Visit, keys []View) []Command {
	if len(keys) == 0 {
		return p.FirstRequests(v, "gdx_…", account.DefaultPermissions)
	}
	return p.FirstRequests(v, keys[0].Prefix+"…", keys[0].Key.Permissions)
}

// FirstRequests returns requests to begin with, for a key with permissions. They ask for a
// game that the catalog has.
func (p *Pages) FirstRequests(v *web.Visit, token string, may account.Permissions) []Command {
	if may == account.WriteWebhooks {
		return []Command{{"keys.first.webhooks", p.site.Curl(token, "/api/v1/account/webhooks")}}
	}
	if !may.Has(account.ReadCatalog) {
		return []Command{{"keys.first.account", p.site.Curl(token, accountPath)}}
	}
	title, id := p.Example(v)
	if id == "" {
		return []Command{{"keys.first.platforms", p.site.Curl(token, "/api/v1/catalog/platforms")}}
	}
	return []Command{
		{"keys.first.find", p.site.Curl(token, "/api/v1/catalog/search?"+url.Values{"q": {title}, "limit": {"3"}}.Encode())},
		{"keys.first.compare", p.site.Curl(token, "/api/v1/catalog/prices?"+url.Values{"ids": {id}, "regions": {"all"}}.Encode())},
	}
}

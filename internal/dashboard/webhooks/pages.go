package webhooks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/webhook"
)

// Repository reads and deletes webhooks. Its errors wrap account.ErrNotFound.
type Repository interface {
	// ListOfKeys returns the webhooks of some keys, newest first.
	ListOfKeys(ctx context.Context, keyIDs []string) ([]webhook.Listed, error)
	Find(ctx context.Context, id string) (webhook.Subscription, error)
	// Tries returns the last tries of a webhook, newest first.
	Tries(ctx context.Context, id string) ([]webhook.Try, error)
	Delete(ctx context.Context, id string) error
}

// Config is what the pages need besides the site.
type Config struct {
	Repository Repository // nil: the operator has not turned webhooks on
	KeysOf     func(ctx context.Context, userID string) ([]account.Key, error)
	// API returns the handler of the API for the owner of a key.
	API func(account.Key) http.Handler
}

// Pages are the pages of this package. Create them with [New].
type Pages struct {
	Config
	explorer *explore.Explorer
}

// maxForm bounds the form for a new webhook, in bytes: a thousand links fit.
const maxForm = 256 << 10

// New registers the pages with the site.
func New(e *explore.Explorer, cfg Config) *Pages {
	p := &Pages{Config: cfg, explorer: e}
	site := e.Site
	site.Handle("GET /webhooks", web.SignedIn, p.list)
	site.Handle("GET /webhooks/new", web.SignedIn, p.withKeys(p.newForm))
	site.HandleForm("POST /webhooks/new", web.SignedIn, maxForm, p.withKeys(p.create))
	site.Handle("GET /webhooks/{webhook}", web.SignedIn, p.withWebhook(func(v *web.Visit, h owned) error {
		return p.show(v, http.StatusOK, h, h.URL, "")
	}))
	site.Handle("POST /webhooks/{webhook}/ping", web.SignedIn, p.withWebhook(p.ping))
	site.Handle("POST /webhooks/{webhook}/active", web.SignedIn, p.withWebhook(p.turn))
	site.Handle("POST /webhooks/{webhook}/url", web.SignedIn, p.withWebhook(p.changeURL))
	site.Handle("GET /webhooks/{webhook}/delete", web.SignedIn, p.withWebhook(func(v *web.Visit, h owned) error {
		return v.Render(http.StatusOK, "webhook-delete", p.viewOf(v, h))
	}))
	site.Handle("POST /webhooks/{webhook}/delete", web.SignedIn, p.withWebhook(p.delete))
	return p
}

// Off says that webhooks are off, and how the operator turns them on.
func Off(v *web.Visit) error { return v.Render(http.StatusOK, "webhooks-off", nil) }

// owned is a webhook and its key, which is the visitor's.
type owned struct {
	webhook.Subscription
	key account.Key
}

func (h *owned) path() string { return "/webhooks/" + h.ID }

// withKeys returns a handler that gets the visitor's keys. While webhooks are off, the page is not found.
func (p *Pages) withKeys(handle func(*web.Visit, []account.Key) error) func(*web.Visit) error {
	return web.WithFound(func(v *web.Visit) ([]account.Key, error) {
		if p.Repository == nil {
			return nil, account.ErrNotFound
		}
		return p.KeysOf(v.Context(), v.User.ID)
	}, handle)
}

// withWebhook returns a handler that gets the webhook in the path, if its key is the visitor's.
func (p *Pages) withWebhook(handle func(*web.Visit, owned) error) func(*web.Visit) error {
	return p.withKeys(func(v *web.Visit, keys []account.Key) error {
		id := v.R.PathValue("webhook")
		if !webhook.IsID(id) {
			return web.NotFound()
		}
		s, err := p.Repository.Find(v.Context(), id)
		if err != nil {
			return web.DatabaseError(err)
		}
		i := slices.IndexFunc(keys, func(k account.Key) bool { return k.ID == s.KeyID })
		if i < 0 {
			return web.NotFound()
		}
		return handle(v, owned{s, keys[i]})
	})
}

// usable returns the keys that may have webhooks now.
func usable(v *web.Visit, keys []account.Key) (list []account.Key) {
	for _, k := range keys {
		if k.Permissions.Has(account.WriteWebhooks) && k.Status(v.Now()) == account.StatusActive {
			list = append(list, k)
		}
	}
	return list
}

// The bounds of the list: webhooks on a page, and revoked keys, the newest, whose webhooks are listed.
const perPage, maxRevoked = 50, 20

type listView struct {
	Webhooks    []View
	MayCreate   bool   // there is a key for one
	After, Next string // the ids after which this page and the next one begin; "": the first, and there is none
}

// list shows the webhooks of the visitor's keys, newest first.
func (p *Pages) list(v *web.Visit) error {
	if p.Repository == nil {
		return Off(v)
	}
	return p.withKeys(func(v *web.Visit, keys []account.Key) error {
		byID := map[string]account.Key{}
		var ids []string
		revoked := 0
		for _, k := range keys {
			if !k.Permissions.Has(account.WriteWebhooks) {
				continue
			}
			if k.RevokedAt != 0 {
				revoked++
			}
			if k.RevokedAt == 0 || revoked <= maxRevoked {
				byID[k.ID], ids = k, append(ids, k.ID)
			}
		}
		found, err := p.Repository.ListOfKeys(v.Context(), ids)
		if err != nil {
			return web.DatabaseError(err)
		}
		view := listView{MayCreate: len(usable(v, keys)) > 0, After: v.Form("after")}
		if view.After != "" {
			found = slices.DeleteFunc(found, func(l webhook.Listed) bool { return l.ID >= view.After })
		}
		if len(found) > perPage {
			found = found[:perPage]
			view.Next = found[perPage-1].ID
		}
		for i := range found {
			view.Webhooks = append(view.Webhooks, p.View(v, &found[i], byID[found[i].KeyID]))
		}
		return v.Render(http.StatusOK, "webhooks", view)
	})(v)
}

const maxGames = 100

type page struct {
	View
	URL, NewURL string // as it is, and in the form
	Wrong       map[string]string
	CreatedAt   int64
	Countries   string
	Deals       string // filters; "": Games
	DealsPage   string // its address
	Games       []game
	More        int // games that are not named
	Pending     webhook.Message
	Ping        bool
	Tries       []webhook.Try
}

// game is a game of a webhook. Without a title it is not in the catalog now.
type game struct{ ID, Title, Address string }

// show shows a webhook, with what was entered for another URL and what the API says about it.
func (p *Pages) show(v *web.Visit, status int, h owned, newURL, wrong string) error {
	tries, err := p.Repository.Tries(v.Context(), h.ID)
	if err != nil {
		return web.DatabaseError(err)
	}
	view := page{View: p.viewOf(v, h), URL: h.URL, NewURL: newURL, Wrong: map[string]string{"url": wrong}, CreatedAt: h.CreatedAt,
		Countries: places(v, h.Regions, len(h.Regions.Codes)), Pending: h.Message, Ping: h.Ping, Tries: tries}
	if live := p.explorer.Catalog(); live != nil && !h.Regions.All && len(h.Regions.Codes) == 0 {
		view.Countries = explore.MainCountries(v, live)
	}
	view.Deals, view.DealsPage = deals(v, &h.Filter)
	named := h.Games[:min(len(h.Games), maxGames)]
	view.More = len(h.Games) - len(named)
	for _, name := range named {
		view.Games = append(view.Games, p.game(v, name))
	}
	return v.Render(status, "webhook", view)
}

// call sends a request about webhooks to the API as the owner of a key, as send does.
func (p *Pages) call(v *web.Visit, k account.Key, method, path string, body, data any) error {
	return p.send(v, p.API(k), method, "/api/v1/account/webhooks"+path, body, data)
}

// send sends a request to the API, and decodes the data of the answer into the value that data points to. Its errors
// are those of [explore.Request].
func (p *Pages) send(v *web.Visit, api http.Handler, method, path string, body, data any) error {
	sent, err := json.Marshal(body, jsontext.AllowInvalidUTF8(true)) // the API says what is wrong with it
	if err != nil {
		return fmt.Errorf("request about webhooks: %w", err)
	}
	answer, err := explore.Request(v, api, method, path, sent)
	if _, gone := errors.AsType[*explore.CardGoneError](err); gone { // 404: deleted in the meantime
		return web.NotFound()
	} else if err != nil {
		return err
	}
	envelope := struct {
		Data any `json:"data"`
	}{data}
	if err := json.Unmarshal(answer, &envelope); err != nil {
		return fmt.Errorf("read the API's response for %s: %w", path, err)
	}
	return nil
}

// change sends a request that changes a webhook, and returns to its page with a notice: what was done, or what
// the API says.
func (p *Pages) change(v *web.Visit, h owned, method, path string, body any, done string) error {
	err := p.call(v, h.key, method, "/"+h.ID+path, body, &struct{}{})
	if refused, ok := errors.AsType[*explore.RefusedError](err); ok {
		return v.Refused(h.path(), "webhooks.refused", refused.Message)
	} else if err != nil {
		return err
	}
	return v.Done(h.path(), done)
}

func (p *Pages) ping(v *web.Visit, h owned) error {
	return p.change(v, h, http.MethodPost, "/ping", struct{}{}, "webhooks.pinged")
}

type patch struct {
	Active *bool   `json:"active,omitzero"`
	URL    *string `json:"url,omitzero"`
}

func (p *Pages) turn(v *web.Visit, h owned) error {
	on, done := v.Form("active") == strconv.FormatBool(true), "webhooks.is-off"
	if on {
		done = "webhooks.is-on"
	}
	return p.change(v, h, http.MethodPatch, "", patch{Active: &on}, done)
}

func (p *Pages) changeURL(v *web.Visit, h owned) error {
	url := v.Form("url")
	err := p.call(v, h.key, http.MethodPatch, "/"+h.ID, patch{URL: &url}, &struct{}{})
	if refused, ok := errors.AsType[*explore.RefusedError](err); ok {
		return p.show(v, http.StatusUnprocessableEntity, h, url, refused.Message)
	} else if err != nil {
		return err
	}
	return v.Done(h.path(), "webhooks.url-changed")
}

// delete deletes a webhook. That of a key that no longer works can be deleted, too.
func (p *Pages) delete(v *web.Visit, h owned) error {
	err := p.Repository.Delete(v.Context(), h.ID)
	return v.Stored(err, "/webhooks", "webhooks.deleted", h.Host())
}

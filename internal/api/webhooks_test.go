package api_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/webhook"
)

const receiver = `"url":"https://receiver.example/prices"`

// webhookRequests has a request of each endpoint.
var webhookRequests = []struct{ method, path, body string }{
	{"GET", "/account/webhooks", ""}, {"POST", "/account/webhooks", `{` + receiver + `,"ids":"` + forge + `"}`},
	{"GET", "/account/webhooks/" + someWebhook, ""}, {"PATCH", "/account/webhooks/" + someWebhook, "{}"}, {"DELETE", "/account/webhooks/" + someWebhook, ""},
	{"POST", "/account/webhooks/" + someWebhook + "/ping", ""}, {"GET", "/account/webhooks/" + someWebhook + "/tries", ""},
}

const someWebhook = "whk_01KAG6Y2T9Q4R7X8ZC5D1E3F6H"

// silentWebhooks is a repository whose database does not answer, or is full.
type silentWebhooks struct {
	webhook.Repository
	err error
}

func (s silentWebhooks) Create(context.Context, webhook.Subscription, []webhook.Served) error {
	return s.err
}
func (s silentWebhooks) ListOf(context.Context, string) ([]webhook.Subscription, error) {
	return nil, s.err
}
func (s silentWebhooks) Find(context.Context, string) (webhook.Subscription, error) {
	return webhook.Subscription{}, s.err
}

// TestWhoMayUseWebhooks checks that no key has the permission by default, that the requests count,
// and what they answer while webhooks are off or the database is silent.
func TestWhoMayUseWebhooks(t *testing.T) {
	for name, c := range map[string]struct {
		store  webhook.Repository
		key    account.Draft
		status int
		code   string
	}{
		"permission": {silentWebhooks{}, account.Draft{Name: "all others"}, 403, "INSUFFICIENT_PERMISSIONS"},
		"off":        {nil, account.Draft{Name: "k", Permissions: account.WriteWebhooks}, 404, "NOT_FOUND"},
		"silent":     {silentWebhooks{err: errors.New("database is gone")}, account.Draft{Name: "k", Permissions: account.WriteWebhooks}, 503, "SERVICE_UNAVAILABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(_ *world, cfg *api.Config) { cfg.Webhooks = c.store })
			_, token := w.newKey(c.key)
			for i, r := range webhookRequests {
				got := w.do(r.method, r.path, r.body, bearer(token)).code(c.status, c.code)
				if left := got.header.Get("X-RateLimit-Remaining-Minute"); left != fmt.Sprint(29-i) {
					t.Errorf("%s %s: %s requests are left, want %d", r.method, r.path, left, 29-i)
				}
			}
		})
	}
}

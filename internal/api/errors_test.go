package api_test

import (
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/quota"
	"gamedex/internal/testing/golden"
	"gamedex/internal/webhook"
)

// TestEveryErrorShape checks an answer for every code of the error table.
func TestEveryErrorShape(t *testing.T) {
	noKey := func(r *http.Request) { r.Header.Del("Authorization") }
	minute := func(_ *world, c *api.Config) { c.Limits = quota.Limits{Minute: 0, Day: 10} }
	today := func(_ *world, c *api.Config) { c.Limits = quota.Limits{Minute: 10, Day: 0} }
	collecting := withStore(sampleCatalog(), catalog.ConsoleStore, index.PlatformState{Status: "outage", Collecting: true})
	key := func(change func(*account.Key)) func(*world) with {
		return func(w *world) with {
			k, token := w.newKey(account.Draft{Name: "bad"})
			change(&k)
			w.changeKey(k)
			return bearer(token)
		}
	}
	always := func(x with) func(*world) with { return func(*world) with { return x } }
	plain := always(func(*http.Request) {})
	type setup = func(*world, *api.Config)
	none := func(*world, *api.Config) {}

	var shown []string
	for _, c := range []struct {
		code, method, path, body string
		status                   int
		world                    setup
		change                   func(*world) with
	}{
		{"INVALID_PARAMS", "GET", "/catalog/search?q=a", "", 400, none, plain},
		{"ids_required", "POST", "/catalog/prices", "{}", 400, none, plain},
		{"too_many_ids", "POST", "/catalog/prices", idsBody(201, `,"include":"editions"`), 400, none, plain},
		{"TOO_MANY_IDS", "POST", "/catalog/history", idsBody(51, ""), 400, none, plain},
		{"TOO_MANY_STEPS", "GET", "/catalog/history?regions=all&ids=" + forge, "", 400, manySteps, plain},
		{"UNAUTHORIZED", "GET", "/account/me", "", 401, none, always(noKey)},
		{"api_key_missing", "GET", "/catalog/prices", "", 401, none, always(noKey)},
		{"api_key_invalid", "GET", "/catalog/prices", "", 401, none, always(bearer("gdx_bad"))},
		{"KEY_EXPIRED", "GET", "/account/me", "", 403, none, key(func(k *account.Key) { k.ExpiresAt = start })},
		{"KEY_REVOKED", "GET", "/account/me", "", 403, none, key(func(k *account.Key) { k.RevokedAt = start })},
		{"KEY_SUSPENDED", "GET", "/account/me", "", 403, none, key(func(k *account.Key) { k.SuspendedAt, k.SuspendReason = start, "shared in public" })},
		{"INSUFFICIENT_PERMISSIONS", "GET", "/account/me", "", 403, none, key(func(k *account.Key) { k.Permissions = account.ReadCatalog })},
		{"TOO_MANY_WEBHOOKS", "POST", "/account/webhooks", `{` + receiver + `,"ids":"` + forge + `"}`, 409,
			func(_ *world, c *api.Config) { c.Webhooks = silentWebhooks{err: webhook.ErrTooMany} }, key(func(k *account.Key) { k.Permissions = account.WriteWebhooks })},
		{"GAME_NOT_FOUND", "GET", "/catalog/games/nope", "", 404, none, plain},
		{"NOT_FOUND", "GET", "/nope", "", 404, none, plain},
		{"METHOD_NOT_ALLOWED", "DELETE", "/account/me", "", 405, none, plain},
		{"PAYLOAD_TOO_LARGE", "POST", "/catalog/prices", strings.Repeat(" ", 1<<20+1), 413, none, plain},
		{"UNSUPPORTED_MEDIA_TYPE", "POST", "/catalog/prices", "{}", 415, none, always(header("Content-Type", "text/plain"))},
		{"RATE_LIMIT_EXCEEDED", "GET", "/account/me", "", 429, minute, plain},
		{"rate_limit_minute", "GET", "/catalog/prices", "", 429, minute, plain},
		{"rate_limit_day", "GET", "/catalog/prices", "", 429, today, plain},
		{"INTERNAL_ERROR", "GET", "/catalog/platforms", "", 500, func(_ *world, c *api.Config) { c.Live = nil }, plain},
		{"UPSTREAM_ERROR", "GET", "/catalog/games/nope", "", 503, collecting, plain},
		{"SERVICE_UNAVAILABLE", "GET", "/catalog/platforms", "", 503, func(w *world, _ *api.Config) { w.live.Swap(nil) }, plain},
	} {
		t.Run(c.code, func(t *testing.T) {
			w := newWorld(t, c.world)
			r := w.do(c.method, c.path, c.body, c.change(w)).code(c.status, c.code)
			golden.Check(t, "testdata/error-"+c.code+".json", r.indented())
		})
		shown = append(shown, c.code)
	}
	if table := codes(t); !slices.Equal(shown, table) {
		t.Errorf("the codes tested here are %v, the table has %v", shown, table)
	}
}

// codes returns the codes of the error table, in its order.
func codes(t *testing.T) (names []string) {
	t.Helper()
	source, err := os.ReadFile("errors.go")
	must(t, err)
	for _, found := range regexp.MustCompile(`= &errorCode{"(\w+)"`).FindAllSubmatch(source, -1) {
		names = append(names, string(found[1]))
	}
	return names
}

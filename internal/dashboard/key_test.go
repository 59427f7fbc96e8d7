package dashboard_test

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/dashboard"
	"gamedex/internal/quota"
	"gamedex/internal/testing/await"
)

func between(t testing.TB, page, before, after string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, before)
	text, _, ended := strings.Cut(rest, after)
	if !found || !ended {
		t.Fatalf("nothing between %q and %q in\n%s", before, after, page)
	}
	return text
}

func (v *visitor) once() string {
	v.w.t.Helper()
	return between(v.w.t, v.get("/keys/new").body, `name="once" value="`, `"`)
}

func (v *visitor) createKey(name string) (answered, string) {
	v.w.t.Helper()
	p := v.post("/keys/new", "once", v.once(), "name", name, "permission", "read:catalog", "permission", "read:account", "expires", "never")
	if p.status != http.StatusOK {
		v.w.t.Fatalf("creating %q: status %d\n%s", name, p.status, p.body)
	}
	return p, between(v.w.t, p.body, `<code id="token">`, `</code>`)
}

func (w *world) keysOf(u account.User) []account.Key {
	w.t.Helper()
	keys, err := w.db.Accounts.KeysOf(w.t.Context(), u.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return keys
}

func (w *world) eventually(what string, is func() bool) {
	w.t.Helper()
	await.That(w.t, what, is)
}

func TestAKeyFromTheFirstToTheLastPage(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	w, bob := v.w, v.w.user(bobEmail)
	v.get("/keys").wants(t, http.StatusOK, "Create your first key")

	p, token := v.createKey("price watcher")
	w.requestAPI(token, "/account/me").wants(t, http.StatusOK)
	if want := "curl -H &#39;Authorization: Bearer " + token; p.path != "/keys/new" || !strings.Contains(p.body, want) || !strings.Contains(p.body, w.server.URL+"/api/v1/catalog/prices?ids=") {
		t.Errorf("the page of the token at %s lacks %s\n%s", p.path, want, p.body)
	}
	if got := p.header.Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("Cache-Control of the page with the token: %q", got)
	}

	key := w.keysOf(bob)[0]
	list, page := v.get("/keys"), v.get("/keys/"+key.ID)
	list.has(t, "price watcher", key.ID, "1 of 43,200", "read:catalog", "read:account", ">active<")
	if want := key.Prefix + "…"; !strings.Contains(page.body, want) || !strings.Contains(page.body, "30 per minute, 43,200 per day") {
		t.Errorf("the page of the key lacks %s\n%s", want, page.body)
	}

	v.post("/keys/"+key.ID+"/name", "name", "  watcher 2 ").isAt(t, "/keys/"+key.ID, "now called “watcher 2”")
	v.get("/keys/"+key.ID+"/revoke").wants(t, http.StatusOK, "watcher 2", "KEY_REVOKED", "1 of 43,200") // the question
	w.requestAPI(token, "/account/me").wants(t, http.StatusOK)
	v.post("/keys/"+key.ID+"/revoke").isAt(t, "/keys", "“watcher 2” is revoked")
	w.eventually("the revoked key is refused", func() bool { return w.requestAPI(token, "/account/me").status == http.StatusForbidden })
	v.get("/keys/"+key.ID+"/revoke").isAt(t, "/keys/"+key.ID).lacks(t, "Revoke key")
	audit, err := w.db.Accounts.SearchAudit(t.Context(), account.AuditQuery{Object: key.ID, Limit: 9})
	if err != nil || len(audit) != 3 {
		t.Fatalf("audit: %v, %v", audit, err)
	}
	for i, want := range []account.Action{account.KeyRevoke, account.KeyRename, account.KeyCreate} {
		if e := audit[i]; e.Action != want || e.Actor != bob.ID || e.From != "127.0.0.1" {
			t.Errorf("audit entry %d: %+v, want %s by %s", i, e, want, bob.ID)
		}
	}
}

// databaseFiles returns the files of the database and its logs: all temporary
// directories of a test are in one.
func (w *world) databaseFiles() []string {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(w.t.TempDir()), "*", "gamedex.db*"))
	if err != nil {
		w.t.Fatal(err)
	}
	return files
}

func TestAtOnceASecondPostMakesNoSecondKey(t *testing.T) {
	v := explorer(t)
	w, bob := v.w, v.w.user(bobEmail)
	once := v.once()
	form := []string{"once", once, "name", "twice", "permission", "read:account", "expires", "30"}
	pages := atOnce(t, 8, func(int) answered { return v.post("/keys/new", form...) }) // clicks too many
	made := 0
	for _, p := range append(pages, v.post("/keys/new", form...)) {
		switch p.status {
		case http.StatusOK:
			made++
		case http.StatusConflict:
			if !strings.Contains(p.body, "This key was already created") || !strings.Contains(p.body, `href="/keys/key_`) || strings.Contains(p.body, `id="token"`) {
				t.Errorf("the second time\n%s", p.body)
			}
		default:
			t.Errorf("status %d\n%s", p.status, p.body)
		}
	}
	if keys := w.keysOf(bob); made != 1 || len(keys) != 1 {
		t.Errorf("%d pages show a token, there are %d keys", made, len(keys))
	}
	// Another user with the same form creates another key.
	w.addUser(annEmail, true)
	w.signedIn(annEmail).post("/keys/new", form...).wants(t, http.StatusOK) // another user
	for _, once := range []string{"", "zz", "0.AAAAAAAAAAAAAAAA"} {
		form[1] = once
		v.post("/keys/new", form...).wants(t, http.StatusUnprocessableEntity, "open for too long", `value="twice"`)
	}
	if n := len(w.keysOf(bob)); n != 1 {
		t.Errorf("%d keys in the end", n)
	}
}

func TestFormsOfKeysThatAreWrong(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	w, bob := v.w, v.w.user(bobEmail)
	const name, permissions, expires, unclear = "The name must have", "Choose at least one permission", "The day must be in the future", "You entered a last day"
	for _, tt := range []struct {
		form []string
		want []string
	}{
		{nil, []string{name, permissions, expires}},
		{[]string{"name", " \t ", "permission", "read:catalog", "expires", "never"}, []string{name}},
		{[]string{"name", strings.Repeat("ы", 101), "permission", "read:catalog", "expires", "never"}, []string{name, strings.Repeat("ы", 101)}},
		{[]string{"name", "a\nb", "permission", "read:catalog", "expires", "never"}, []string{name}},
		{[]string{"name", "a\xffb", "permission", "read:catalog", "expires", "never"}, []string{name}},
		{[]string{"name", "kept", "expires", "90"}, []string{permissions, `value="kept"`, `value="90" checked`}},
		{[]string{"name", "kept", "permission", "write:all", "expires", "90"}, []string{permissions}},
		{[]string{"name", "kept", "permission", "read:account", "expires", "date", "until", "2020-01-01"},
			[]string{expires, `value="2020-01-01"`, `value="read:account" checked`, `value="date" checked`}},
		{[]string{"name", "kept", "permission", "read:account", "expires", "date", "until", "<b>"}, []string{expires, "&lt;b&gt;"}},
		{[]string{"name", "kept", "permission", "read:account", "expires", "never", "until", "2099-01-01"}, []string{unclear}},
		{[]string{"name", "", "permission", "write:webhooks", "expires", "never"}, []string{name, `value="write:webhooks" checked`}},
		{[]string{"name", "kept", "permission", "read:account", "expires", "soon"}, []string{expires}},
	} {
		p := v.post("/keys/new", append([]string{"once", v.once()}, tt.form...)...)
		p.wants(t, http.StatusUnprocessableEntity, tt.want...).lacks(t, `id="token"`)
	}
	if keys := w.keysOf(bob); len(keys) != 0 {
		t.Errorf("wrong forms made %d keys", len(keys))
	}
	key, _ := w.addKey(bob, "before")
	for _, wrong := range []string{"", "a\u2028b", strings.Repeat("x", 101)} {
		v.post("/keys/"+key.ID+"/name", "name", wrong).wants(t, http.StatusUnprocessableEntity, name)
	}
	if got := w.keysOf(bob)[0].Name; got != "before" {
		t.Errorf("the key is called %q", got)
	}
}

func TestWhatAKeyIsGiven(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	w, bob := v.w, v.w.user(bobEmail)
	tomorrow := time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly) // today would be over at midnight
	p := v.post("/keys/new", "once", v.once(), "name", "till tomorrow", "permission", "read:catalog", "permission", "write:webhooks", "expires", "date", "until", tomorrow)
	key := w.keysOf(bob)[0]
	if p.status != http.StatusOK || key.Permissions != account.ReadCatalog|account.WriteWebhooks || time.UnixMilli(key.ExpiresAt).UTC().Format(time.RFC3339Nano) != tomorrow+"T23:59:59.999Z" {
		t.Errorf("status %d, key %+v", p.status, key)
	}
	// The command is one that this key may do.
	token := between(t, p.body, `<code id="token">`, `</code>`)
	path := html.UnescapeString(between(t, p.body, "/api/v1", "&#39;"))
	w.requestAPI(token, path).wants(t, http.StatusOK)
}

func TestTheLimitOfKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.addUser(bobEmail, false)
	for i := range account.MaxKeys {
		w.addKey(bob, fmt.Sprint("key ", i))
	}
	v := w.signedIn(bobEmail)
	p := v.post("/keys/new", "once", v.once(), "name", "one more", "permission", "read:account", "expires", "never")
	p.wants(t, http.StatusUnprocessableEntity, "You have 50 keys", `value="one more"`)
	if p := v.get("/keys"); len(p.body) > 60_000 {
		t.Errorf("the list of 50 keys has %d bytes", len(p.body))
	}
	v.post("/keys/" + w.keysOf(bob)[0].ID + "/revoke")
	v.createKey("one more")
}

func TestStatesInTheList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.addUser(bobEmail, false)
	names := []string{"revoked one", "suspended one", "expired one", "active one"}
	for _, name := range names {
		draft := account.Draft{Name: name, UserID: bob.ID, ExpiresAt: 2000, LimitMinute: 5, LimitDay: 777}
		if name != "expired one" {
			draft.ExpiresAt = millis() + 1e9
		}
		key, _ := w.issue(1000, bob.ID, draft)
		var err error
		switch name {
		case "revoked one":
			_, err = w.db.Accounts.RevokeKey(t.Context(), key.ID, account.By{At: millis()})
		case "suspended one":
			_, err = w.db.Accounts.SuspendKey(t.Context(), key.ID, "too much noise", account.By{At: millis()})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	body := w.signedIn(bobEmail).get("/keys").body
	inOrder := regexp.MustCompile(`(?s)active one.*>active<.*0 of 777.*(suspended one.*>suspended<.*Reason: too much noise.*|expired one.*>expired<.*){2}<details>.*revoked one`)
	if !inOrder.MatchString(body) {
		t.Errorf("the list\n%s", body)
	}
	for _, key := range w.keysOf(bob) {
		page := w.signedIn(bobEmail).get("/keys/" + key.ID).body
		if !strings.Contains(page, ">"+strings.TrimSuffix(key.Name, " one")+"<") || !strings.Contains(page, "5 per minute, 777 per day") {
			t.Errorf("the page of the %s\n%s", key.Name, page)
		}
	}
}

type brokenCounter struct{ quota.Counter }

func (brokenCounter) Look(context.Context, string, quota.Limits, quota.Owner, int64) (quota.Decision, error) {
	return quota.Decision{}, errors.New("no answer")
}

func TestKeysWithoutTheCounter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, cfg *dashboard.Config) { cfg.Keys.Counter = brokenCounter{} })
	key, _ := w.addKey(w.addUser(bobEmail, false), "leaked")
	v := w.signedIn(bobEmail)
	for _, path := range []string{"/keys", "/keys/" + key.ID, "/keys/" + key.ID + "/revoke", "/usage"} {
		v.get(path).wants(t, http.StatusOK, "currently unknown")
	}
	v.post("/keys/"+key.ID+"/revoke").has(t, "“leaked” is revoked")
}

// TestLastUseIsShownAtOnce uses a key, and looks at its pages before the use is
// saved.
func TestLastUseIsShownAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key, token := w.addKey(w.addUser(bobEmail, false), "just used")
	bob := w.signedIn(bobEmail)
	pages := []string{"/keys/" + key.ID, "/keys/" + key.ID + "/revoke"}
	for _, path := range pages {
		if last := between(t, bob.get(path).body, "<dt>Last used</dt><dd>", "</dd>"); last != "never" {
			t.Errorf("%s before the first request: %s", path, last)
		}
	}
	if code := w.code(token); code != "" {
		t.Fatal(code)
	}
	for _, path := range pages {
		if last := between(t, bob.get(path).body, "<dt>Last used</dt><dd>", "</dd>"); !strings.Contains(last, "<time") {
			t.Errorf("%s after a request: last used %s", path, last)
		}
	}
}

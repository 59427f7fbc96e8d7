package dashboard_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/web"
)

// administered is a world with its two people, and the administrator signed in.
func administered(t testing.TB, change ...func(*world, *dashboard.Config)) (w *world, ann, bob account.User, v *visitor) {
	t.Helper()
	w = newWorld(t, change...)
	ann, bob = w.addUser(annEmail, true), w.addUser(bobEmail, false)
	return w, ann, bob, w.signedIn(annEmail)
}

// logs checks that the newest entry about an object says what was done, by
// whom, from where and with which detail.
func (w *world) logs(object string, action account.Action, actor account.User, detail string) {
	w.t.Helper()
	entries, err := w.db.Accounts.SearchAudit(w.t.Context(), account.AuditQuery{Object: object, Limit: 1})
	if err != nil || len(entries) == 0 {
		w.t.Fatalf("the log has nothing on %s: %v", object, err)
	}
	e := entries[0]
	if e.Action != action || e.Actor != actor.ID || e.From != "127.0.0.1" || e.Detail != detail {
		w.t.Errorf("the log says of %s: %+v, want %s by %s from 127.0.0.1, detail %q", object, e, action, actor.ID, detail)
	}
}

// code returns the API's error code for a token, or "" if the token works.
func (w *world) code(token string) string {
	w.t.Helper()
	var body struct{ Error struct{ Code string } }
	if err := json.Unmarshal([]byte(w.requestAPI(token, "/catalog/platforms").body), &body); err != nil {
		w.t.Fatal(err)
	}
	return body.Error.Code
}

// link returns the address of the one-time link on a page, without its host.
func (p answered) link(t testing.TB, w *world) string {
	t.Helper()
	return strings.TrimPrefix(between(t, p.body, `<code id="link">`, "</code>"), w.server.URL)
}

func TestUnknownUsersKeysAndPlatforms(t *testing.T) {
	t.Parallel()
	w, _, _, v := administered(t)
	for _, path := range []string{"/admin/users/usr_none", "/admin/users/usr_none/delete", "/admin/keys/key_none", "/admin/keys/key_none/revoke"} {
		v.get(path).wants(t, http.StatusNotFound, "does not exist")
	}
	for _, path := range []string{"/admin/users/usr_none/disable", "/admin/users/usr_none/enable", "/admin/users/usr_none/admin",
		"/admin/users/usr_none/no-admin", "/admin/users/usr_none/reset", "/admin/users/usr_none/sign-out", "/admin/users/usr_none/delete",
		"/admin/keys/key_none/suspend", "/admin/keys/key_none/resume", "/admin/keys/key_none/limits", "/admin/keys/key_none/revoke",
		"/admin/platforms/xbox", "/admin/links/zz/revoke", "/admin/links/" + strings.Repeat("ab", 31) + "/revoke"} {
		v.post(path, "reason", "x", "status", "outage").wants(t, http.StatusNotFound, "does not exist")
	}
	v.post("/admin/links/"+strings.Repeat("ab", 32)+"/revoke").wants(t, http.StatusOK, "has already been used or revoked, or it has expired")
	if text := w.log.String(); strings.Contains(text, "page failed") {
		t.Errorf("the log has failures:\n%s", text)
	}
}

func TestInvitation(t *testing.T) {
	t.Parallel()
	w, ann, _, v := administered(t)
	p := v.post("/admin/users/invite", "email", " Cleo@Example.org ", "admin", "1")
	p.wants(t, http.StatusOK, "cleo@example.org, who will be an administrator", "shown only here")
	w.logs("cleo@example.org", account.LinkCreate, ann, "invite, administrator")
	v.get("/admin/users").wants(t, http.StatusOK, "Open links", "cleo@example.org", "in 6 days")
	v.get("/admin/users").lacks(t, p.link(t, w))

	guest := w.newVisitor()
	guest.post(p.link(t, w), "password", "a fine long password").isAt(t, "/")
	cleo, found, err := w.db.Accounts.FindUserByEmail(t.Context(), "cleo@example.org")
	if err != nil || !found || !cleo.Admin {
		t.Fatalf("cleo: %+v, found %v, %v", cleo, found, err)
	}
	v.get("/admin/users").wants(t, http.StatusOK, cleo.ID)
	v.get("/admin/users").lacks(t, "Open links")
}

func TestInvitationThatIsRefused(t *testing.T) {
	t.Parallel()
	w, _, _, v := administered(t)
	for _, tt := range []struct{ name, email, want string }{
		{"nothing", "", "Enter a valid email address."},
		{"markup", `"><script>alert(1)</script>`, "Enter a valid email address."},
		{"a user's", strings.ToUpper(bobEmail), "already an account with this address"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := v.post("/admin/users/invite", "email", tt.email, "admin", "1")
			p.wants(t, http.StatusUnprocessableEntity, tt.want, `aria-invalid="true"`, ` checked`)
			p.lacks(t, "<script>alert")
		})
	}
	if links, err := w.db.Accounts.OpenLinks(t.Context(), millis()); err != nil || len(links) != 0 {
		t.Errorf("there are links: %v, %v", links, err)
	}
}

func TestInvitationsOffWhileSignUpIsClosed(t *testing.T) {
	t.Parallel()
	_, _, _, v := administered(t, func(_ *world, cfg *dashboard.Config) { cfg.Web.SignUp = web.SignUpClosed })
	p := v.get("/admin/users")
	p.wants(t, http.StatusOK, "Sign-up is closed")
	p.lacks(t, `action="/admin/users/invite"`)
	v.post("/admin/users/invite", "email", "cleo@example.org").wants(t, http.StatusForbidden, "Sign-up is closed")
}

func TestInvitationRevoked(t *testing.T) {
	t.Parallel()
	w, ann, _, v := administered(t)
	address := v.post("/admin/users/invite", "email", "cleo@example.org").link(t, w)
	links, err := w.db.Accounts.OpenLinks(t.Context(), millis())
	if err != nil || len(links) != 1 {
		t.Fatal(links, err)
	}
	v.post("/admin/links/"+hex.EncodeToString(links[0].Hash[:])+"/revoke").wants(t, http.StatusOK, "The link is revoked.")
	w.logs("cleo@example.org", account.LinkRevoke, ann, "")
	w.newVisitor().get(address).wants(t, http.StatusNotFound) // the revoked link
}

func TestUserIsDisabledAndEnabled(t *testing.T) {
	t.Parallel()
	w, ann, bob, v := administered(t)
	key, token := w.addKey(bob, "bob's key")
	user := w.signedIn(bobEmail)
	v.post("/admin/users/"+bob.ID+"/disable").wants(t, http.StatusOK, "bob@example.org is disabled", "disabled</b>", "The user is disabled.")
	w.logs(bob.ID, account.UserDisable, ann, "")
	user.get("/keys").isAt(t, "/signin")
	w.eventually("the key is suspended", func() bool { return w.code(token) == "KEY_SUSPENDED" })
	v.post("/admin/users/"+bob.ID+"/reset").wants(t, http.StatusOK, "cannot have a reset link", `role="alert"`)
	v.post("/admin/keys/"+key.ID+"/resume").wants(t, http.StatusOK, "stays suspended", `role="alert"`)

	v.post("/admin/users/"+bob.ID+"/enable").wants(t, http.StatusOK, "bob@example.org is enabled again")
	w.logs(bob.ID, account.UserEnable, ann, "")
	w.eventually("the key works again", func() bool { return w.code(token) == "" })
	w.signedIn(bobEmail)
}

func TestAdministratorIsMadeAndUnmade(t *testing.T) {
	t.Parallel()
	w, ann, bob, v := administered(t)
	v.post("/admin/users/"+bob.ID+"/admin").wants(t, http.StatusOK, "bob@example.org is now an administrator.")
	w.logs(bob.ID, account.UserAdmin, ann, "")
	w.signedIn(bobEmail).get("/admin/users").wants(t, http.StatusOK, annEmail)
	v.post("/admin/users/"+bob.ID+"/no-admin").wants(t, http.StatusOK, "is no longer an administrator")
	w.logs(bob.ID, account.UserNoAdmin, ann, "")
	if w.user(bobEmail).Admin {
		t.Error("bob is an administrator")
	}
}

func TestAdministratorsDoNotLockThemselvesOut(t *testing.T) {
	t.Parallel()
	w, ann, bob, v := administered(t)
	for _, what := range []string{"disable", "no-admin"} {
		v.post("/admin/users/"+ann.ID+"/"+what).wants(t, http.StatusUnprocessableEntity, "Another administrator can")
	}
	p := v.get("/admin/users/" + ann.ID)
	p.wants(t, http.StatusOK, "Another administrator can")
	p.lacks(t, `/disable"`, `/no-admin"`)
	v.post("/admin/users/"+ann.ID+"/delete").wants(t, http.StatusOK, "this is the only administrator", `role="alert"`)

	if err := w.db.Accounts.SetAdmin(t.Context(), bob.ID, true, account.By{At: millis(), Actor: "cli:test"}); err != nil {
		t.Fatal(err)
	}
	v.get("/admin/users/"+ann.ID+"/delete").wants(t, http.StatusOK, "This is your own account.")
	v.post("/admin/users/"+ann.ID+"/delete").isAt(t, "/", "ann@example.org was deleted") // after deleting their own account
	v.get("/keys").isAt(t, "/signin")
}

func TestResetLink(t *testing.T) {
	t.Parallel()
	w, ann, bob, v := administered(t)
	user := w.signedIn(bobEmail)
	p := v.post("/admin/users/" + bob.ID + "/reset")
	p.wants(t, http.StatusOK, "Reset link", "bob@example.org")
	w.logs(bob.ID, account.LinkCreate, ann, "reset")
	guest := w.newVisitor()
	guest.post(p.link(t, w), "password", "quite another password").isAt(t, "/")
	user.get("/keys").isAt(t, "/signin")
}

func TestUserIsSignedOut(t *testing.T) {
	t.Parallel()
	w, ann, bob, v := administered(t)
	user := w.signedIn(bobEmail)
	v.post("/admin/users/"+bob.ID+"/sign-out").wants(t, http.StatusOK, "is signed out everywhere")
	w.logs(bob.ID, account.UserSignOut, ann, "")
	user.get("/keys").isAt(t, "/signin")
	v.post("/admin/users/"+ann.ID+"/sign-out").isAt(t, "/signin") // the visitor's own session ends, too
}

func TestUserIsDeleted(t *testing.T) {
	t.Parallel()
	w, ann, bob, v := administered(t)
	key, token := w.addKey(bob, "bob's secret plan")
	v.get("/admin/users/"+bob.ID+"/delete").wants(t, http.StatusOK, "Delete bob@example.org?", "1 key will be revoked", "cannot be undone")
	if w.user(bobEmail).ID != bob.ID {
		t.Error("the confirmation page deleted the user")
	}
	v.post("/admin/users/"+bob.ID+"/delete").wants(t, http.StatusOK, "bob@example.org was deleted")
	w.logs(bob.ID, account.UserDelete, ann, "")
	w.eventually("the key is revoked", func() bool { return w.code(token) == "KEY_REVOKED" })
	p := v.get("/admin/keys/" + key.ID)
	p.wants(t, http.StatusOK, "created on the command line", "revoked</span>")
	p.lacks(t, "secret plan", bobEmail)
	v.get("/admin/audit").lacks(t, bobEmail, "secret plan")
}

func TestListsGoOnPageByPage(t *testing.T) {
	t.Parallel()
	w, _, bob, v := administered(t)
	by := account.By{At: millis(), Actor: "cli:test"}
	for i := range 120 {
		id := fmt.Sprintf("usr_%026d", i)
		if err := w.db.Accounts.CreateUser(t.Context(), account.User{ID: id, Email: fmt.Sprintf("guest%03d@example.org", i), CreatedAt: by.At}, by); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		w.addKey(account.User{}, fmt.Sprintf("job %03d", i))
	}
	w.addKey(bob, "bob's")
	for _, tt := range []struct {
		path, next string
		item       string // what each line has
		pages      []int
	}{
		{"/admin/users?q=GUEST", "Next page", `<a href="/admin/users/usr_`, []int{50, 50, 20}},
		{"/admin/keys?q=job", "Next page", `<a href="/admin/keys/key_`, []int{50, 10}},
		{"/admin/audit?action=user.create", "Older", "created a user</th>", []int{50, 50, 22}},
	} {
		path := tt.path
		for i, want := range tt.pages {
			p := v.get(path)
			if n := strings.Count(p.body, tt.item); n != want {
				t.Fatalf("%s has %d lines, want %d\n%s", path, n, want, p.body)
			}
			if len(p.body) > 100_000 {
				t.Errorf("%s has %d bytes", path, len(p.body))
			}
			if more := strings.Contains(p.body, tt.next); more != (i < len(tt.pages)-1) {
				t.Fatalf("%s leads on: %v", path, more)
			} else if more {
				before, _, _ := strings.Cut(p.body, ">"+tt.next+"</a>")
				path = before[strings.LastIndex(before, `href="`)+len(`href="`) : len(before)-1]
				path = strings.ReplaceAll(path, "&amp;", "&")
			}
		}
	}
	v.get("/admin/audit?before=nonsense&action=nonsense").wants(t, http.StatusOK, "No entries.")
}

func TestPlatformIsOverridden(t *testing.T) {
	t.Parallel()
	w, ann, _, v := administered(t)
	v.get("/admin/platforms").wants(t, http.StatusOK, "The log shows no manual change", `value="automatic" checked`)
	p := v.post("/admin/platforms/pcstore", "status", "outage")
	p.wants(t, http.StatusOK, "The new status of PC Store takes effect within about a second.", `value="outage" checked`,
		"Last set:", annEmail, "set by an administrator: Outage")
	w.logs("pcstore", account.PlatformSet, ann, "outage")
	overrides, err := w.db.Nodes.PlatformOverrides(t.Context())
	if err != nil || overrides[catalog.PCStore] != "outage" || len(overrides) != 1 {
		t.Errorf("overrides: %v, %v", overrides, err)
	}
	v.post("/admin/platforms/PCSTORE", "status", "automatic").lacks(t, "set by an administrator")
	if overrides, err := w.db.Nodes.PlatformOverrides(t.Context()); err != nil || len(overrides) != 0 {
		t.Errorf("overrides: %v, %v", overrides, err)
	}
	for _, status := range []string{"", "broken", "<script>"} {
		v.post("/admin/platforms/pcstore", "status", status).wants(t, http.StatusUnprocessableEntity, "The status must be automatic")
	}
}

func TestAuditLog(t *testing.T) {
	t.Parallel()
	w, ann, bob, v := administered(t)
	key, _ := w.addKey(bob, `<img src=x onerror=alert(1)>`)
	v.post("/admin/keys/"+key.ID+"/suspend", "reason", "<u>why</u>")
	v.post("/admin/platforms/consolestore", "status", "degraded")
	odd := account.AuditEntry{At: millis(), Actor: "cli:<s>root</s>", Action: "odd.<em>deed</em>", Object: "<h6>thing</h6>", From: "<q>x</q>"}
	if err := w.db.Accounts.AddAudit(t.Context(), odd); err != nil {
		t.Fatal(err)
	}
	p := v.get("/admin/audit")
	p.wants(t, http.StatusOK, "suspended a key", "set a platform’s status", "signed in", `title="`+key.ID+`"`, ">Console Store</a>",
		"127.0.0.1", `title="`+ann.ID+`">ann@example.org</a>`, "cli:&lt;s&gt;root", "odd.&lt;em&gt;deed", "&lt;h6&gt;thing", "&lt;q&gt;x")
	p.lacks(t, "<img src=x", "<u>why", "<s>root", "<em>deed", "<h6>thing", "<q>x")

	const created, suspended = "created a key</th>", "suspended a key</th>"
	for query, want := range map[string]string{
		"actor=" + annEmail: suspended, "actor=" + ann.ID: suspended, "action=key.suspend": suspended, "actor=cli%3Atest": "created a user</th>",
		"object=" + key.ID + "&action=key.create": created, "actor=" + strings.ToUpper(bobEmail) + "&action=key.create": created,
	} {
		v.get("/admin/audit?"+query).wants(t, http.StatusOK, want)
	}
	v.get("/admin/audit?actor="+annEmail).lacks(t, created)
	v.get("/admin/audit?action=key.suspend").lacks(t, created)
	v.get("/admin/audit?object=nothing").wants(t, http.StatusOK, "No entries.")
	v.get("/admin/audit?actor=nobody%40example.org").wants(t, http.StatusOK, "No entries.")
}

// TestAuditInTheReadersLanguage checks that entries are translated, with their values;
// names, reasons and what is not known stay as they are.
func TestAuditInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	w, _, bob, v := administered(t)
	key, _ := w.addKey(bob, "watcher")
	v.post("/admin/keys/"+key.ID+"/limits", "limit-minute", "1500", "limit-day", "")
	v.post("/admin/keys/"+key.ID+"/suspend", "reason", "too much & too often")
	v.post("/admin/users/invite", "email", "eve@example.org", "admin", "1")
	v.post("/admin/platforms/pcstore", "status", "degraded")
	w.signedIn(bobEmail).post("/keys/"+key.ID+"/name", "name", "poller")
	for _, e := range []account.AuditEntry{
		{Action: account.OverridesImport, Object: "overrides", Detail: "12 rules"},
		{Action: account.KeyLimits, Object: "key_1", Detail: "a detail of another version"},
		{Action: "odd.deed", Object: "thing"},
	} {
		e.At, e.Actor = millis(), "cli:root"
		if err := w.db.Accounts.AddAudit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	for language, wants := range map[string][]string{
		"en": {"set a key’s limits", "per minute: 1,500, per day: default", "invitation, administrator", ">degraded<", "previously “watcher”", "12 rules"},
		"ru": {"заданы лимиты ключа", "в минуту: 1\u00a0500, в сутки: по умолчанию", "приглашение, администратор", ">с перебоями<", "прежнее название: «watcher»", "12 правил"},
		"uk": {"задано ліміти ключа", "на хвилину: 1\u00a0500, на добу: типово", "запрошення, адміністратор", ">з перебоями<", "попередня назва: «watcher»", "12 правил"},
	} {
		v.header.Set("Accept-Language", language)
		p := v.get("/admin/audit")
		p.wants(t, http.StatusOK, wants...)
		p.wants(t, http.StatusOK, "too much &amp; too often", "a detail of another version", "<code>odd.deed</code>")
	}
}

package dashboard_test

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gamedex/internal/account"
)

func TestKeyIsSuspendedAndResumed(t *testing.T) {
	t.Parallel()
	w, ann, bob, v := administered(t)
	key, token := w.addKey(bob, "watcher")
	path := "/admin/keys/" + key.ID
	for name, reason := range map[string]string{"none": " ", "long": strings.Repeat("я", 201), "lines": "one\ntwo", "reserved": account.SuspendedWithUser} {
		t.Run(name, func(t *testing.T) {
			v.post(path+"/suspend", "reason", reason).wants(t, http.StatusUnprocessableEntity, "Enter a reason of 1 to 200", `aria-invalid="true"`)
		})
	}
	const reason = `scrapes <b>all day</b> & "night"`
	p := v.post(path+"/suspend", "reason", reason)
	p.wants(t, http.StatusOK, "“watcher” is suspended.", "scrapes &lt;b&gt;all day&lt;/b&gt; &amp; &#34;night&#34;")
	p.lacks(t, "<b>all day")
	w.logs(key.ID, account.KeySuspend, ann, reason)
	w.eventually("the key is suspended", func() bool { return w.code(token) == "KEY_SUSPENDED" })
	w.signedIn(bobEmail).get("/keys/"+key.ID).wants(t, http.StatusOK, "scrapes &lt;b&gt;all day")
	v.get("/admin/audit").lacks(t, "<b>all day")

	v.post(path+"/resume", "reason", strings.Repeat("x", 201)).wants(t, http.StatusUnprocessableEntity, "Enter a reason of 1 to 200", `aria-invalid="true"`)
	v.post(path+"/resume", "reason", "promised to be <i>good</i>").wants(t, http.StatusOK, "“watcher” works again.")
	w.logs(key.ID, account.KeyResume, ann, "promised to be <i>good</i>")
	w.eventually("the key works again", func() bool { return w.code(token) == "" })
}

func TestKeyLimits(t *testing.T) {
	t.Parallel()
	w, ann, bob, v := administered(t)
	key, token := w.addKey(bob, "watcher")
	path := "/admin/keys/" + key.ID
	for _, tt := range []struct{ name, minute, day, wrong string }{
		{"zero", "0", "", "wrong-minute"}, {"below", "-1", "", "wrong-minute"}, {"a word", "many", "", "wrong-minute"},
		{"above", "262144", "", "wrong-minute"}, {"above the day", "", "4194304", "wrong-day"}, {"huge", "1", "99999999999999999999", "wrong-day"},
		{"fraction", "1.5", "", "wrong-minute"}, {"markup", `"><script>alert(1)</script>`, "", "wrong-minute"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := v.post(path+"/limits", "limit-minute", tt.minute, "limit-day", tt.day)
			field := strings.Replace(tt.wrong, "wrong", "limit", 1)
			p.wants(t, http.StatusUnprocessableEntity, `id="`+field+`-wrong"`)
			p.lacks(t, "<script>alert")
		})
	}
	v.post(path+"/limits", "limit-minute", "7", "limit-day", "").wants(t, http.StatusOK, "The limits of “watcher” are set.",
		"7 per minute, 43,200 per day", `value="7"`)
	w.logs(key.ID, account.KeyLimits, ann, "minute 7, day default")
	w.eventually("the API applies the limit", func() bool { return w.limitOf(token) == "7" })
	v.post(path+"/limits").wants(t, http.StatusOK, "30 per minute, 43,200 per day")
	w.eventually("the API applies the default", func() bool { return w.limitOf(token) == "30" })
}

// limitOf returns the minute limit that the API reports for a token.
func (w *world) limitOf(token string) string {
	w.t.Helper()
	h := w.requestAPI(token, "/catalog/platforms").header
	return cmp.Or(h.Get("X-RateLimit-Limit-Minute"), h.Get("X-RateLimit-Limit"))
}

func TestKeyIsRevokedByAnAdministrator(t *testing.T) {
	t.Parallel()
	w, ann, bob, v := administered(t)
	key, token := w.addKey(bob, "leaked")
	path := "/admin/keys/" + key.ID
	v.get(path+"/revoke").wants(t, http.StatusOK, "Revoke “leaked”?", "KEY_REVOKED", bobEmail)
	if w.code(token) != "" {
		t.Error("the confirmation page revoked the key")
	}
	v.post(path+"/revoke").wants(t, http.StatusOK, "“leaked” is revoked.")
	w.logs(key.ID, account.KeyRevoke, ann, "")
	w.eventually("the key is revoked", func() bool { return w.code(token) == "KEY_REVOKED" })
	for _, what := range []string{"/suspend", "/resume", "/limits"} {
		v.post(path+what, "reason", "late").wants(t, http.StatusUnprocessableEntity, "This key is permanently revoked.")
	}
	p := v.get(path)
	p.lacks(t, `<form method="post" action="/admin/keys/`)
}

// TestRevokedKeysOfAUser checks that the page of a user has all keys in use, and of revoked
// ones only the newest, so that it stays short.
func TestRevokedKeysOfAUser(t *testing.T) {
	t.Parallel()
	w, _, bob, v := administered(t)
	kept, _ := w.addKey(bob, "in use")
	by := account.By{At: millis(), Actor: "cli:test"}
	for range 50 {
		k, _ := w.addKey(bob, "former")
		if _, err := w.db.Accounts.RevokeKey(t.Context(), k.ID, by); err != nil {
			t.Fatal(err)
		}
	}
	p := v.get("/admin/users/" + bob.ID)
	p.wants(t, http.StatusOK, kept.ID, "30 older keys are not listed.", `"/admin/keys?q=`+url.QueryEscape(bobEmail))
	if n := strings.Count(p.body, `<a href="/admin/keys/key_`); n != 21 {
		t.Errorf("the page has %d keys, want that in use and 20 revoked ones\n%s", n, p.body)
	}
}

func TestKeysAreFound(t *testing.T) {
	t.Parallel()
	w, _, bob, v := administered(t)
	mine, _ := w.addKey(bob, `bob's <i>bot</i>`)
	nobodys, _ := w.addKey(account.User{}, "nightly job")
	for query, want := range map[string]account.Key{
		"BOT": mine, bobEmail: mine, mine.ID: mine, mine.Prefix: mine, "nightly": nobodys,
	} {
		other := nobodys
		if want.ID == nobodys.ID {
			other = mine
		}
		p := v.get("/admin/keys?q=" + url.QueryEscape(query))
		p.wants(t, http.StatusOK, want.ID)
		p.lacks(t, other.ID, "<i>bot")
	}
	p := v.get("/admin/keys?q=" + url.QueryEscape(`"><script>alert(1)</script>`))
	p.wants(t, http.StatusOK, "No keys match.")
	p.lacks(t, "<script>alert")
	v.get("/admin/keys?q="+strings.Repeat("x", 5000)).wants(t, http.StatusOK, "No keys match.")
	v.get("/admin/keys/"+nobodys.ID).wants(t, http.StatusOK, "none: created on the command line")
}

// TestLongSearchStopsAndGoesOn checks that a search through 20,002 keys or webhooks stops, says so, and finds the
// oldest one in the next step.
func TestLongSearchStopsAndGoesOn(t *testing.T) {
	t.Parallel()
	w, _, bob, v := administered(t)
	k := w.addHookKey(bob, "sought")
	s := w.addWebhook(k, "https://receiver.example/")
	const numbers = "WITH RECURSIVE number(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM number WHERE n <= 20000) "
	const columns = "prefix, name, user_id, created_at, expires_at, last_used_at, revoked_at, suspended_at, suspend_reason, permissions, limit_minute, limit_day, change"
	const hookColumns = "key_id, url, secret, created_at, deals, regions, kind, amount, off_at, off_reason, source, seq, at, message_id, failures, next_try, ping, version, change"
	for _, text := range []string{
		numbers + "INSERT INTO api_key (id, hash, " + columns + ") SELECT printf('key_z%05d', n), CAST(printf('%032d', n) AS BLOB), " + columns + " FROM api_key, number",
		numbers + "INSERT INTO webhook (id, " + hookColumns + ") SELECT printf('whk_z%05d', n), " + hookColumns + " FROM webhook, number",
	} {
		if added, err := w.db.Exec(t.Context(), "copy the row", text); added != 20_001 || err != nil {
			t.Fatal(added, err)
		}
	}
	for _, tt := range []struct{ path, id, result, none, after string }{
		{"/admin/keys", k.ID, `href="/admin/keys/` + k.ID, "No keys match.", "key_z00002"},
		{"/admin/webhooks", s.ID, `<code class="muted">` + s.ID, "No webhooks match.", "whk_z00002"},
	} {
		path := tt.path + "?q=" + tt.id
		p := v.get(path)
		p.wants(t, http.StatusOK, "Not everything has been searched", ">Continue the search</a>", path+"&amp;after="+tt.after+`"`)
		p.lacks(t, tt.result, tt.none, "Next page")
		p = v.get(path + "&after=" + tt.after)
		p.wants(t, http.StatusOK, tt.result, "First page")
		p.lacks(t, "Not everything has been searched", "Continue the search", "Next page")
	}
}

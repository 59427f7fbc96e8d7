package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/quota"
	"gamedex/internal/testing/browsertest"
)

func TestCreatingAKeyInABrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.addUser(bobEmail, false)
	v := w.browseAs(bobEmail, browsertest.Options{})
	v.Go("/keys")
	v.ClickText("Create your first key")
	v.Fill("Name", "price watcher")
	v.Uncheck("read:account")
	v.Fill("Last day (UTC)", "2099-01-31") // chooses "on a date"
	v.Choose("Expires", "in 90 days")      // empties the day
	v.Submit("Create key")
	v.See("Key “price watcher” created")
	token := v.Text("#token")
	w.requestAPI(token, "/catalog/platforms").wants(t, http.StatusOK)
	if key := w.keysOf(bob)[0]; key.Permissions != account.ReadCatalog || key.ExpiresAt < millis()+89*24*3_600_000 {
		t.Errorf("the key is %+v", key)
	}

	// The page asks before it is left, until the token has been copied.
	v.DismissDialogs()
	v.Click("h1") // browsers ask only for those who touched the page
	v.ClickText("Usage")
	if dialogs := v.Dialogs(); len(dialogs) != 1 || !strings.HasPrefix(dialogs[0], "beforeunload") || v.Path() != "/keys/new" {
		t.Errorf("leaving: dialogs %q, at %s", dialogs, v.Path())
	}
	v.ClickText("Copy token")
	v.See("Copied")
	if copied := v.Clipboard(); copied != token {
		t.Errorf("copied %q, want the token", copied)
	}
	v.ClickTextIn(".steps li:first-child", "Copy command")
	if copied := v.Clipboard(); !strings.Contains(copied, "Bearer "+token) {
		t.Errorf("copied %q", copied)
	}
	v.ClickText("I have saved it")
	if dialogs := v.Dialogs(); len(dialogs) != 1 || v.Path() != "/keys" {
		t.Errorf("leaving with the token: dialogs %q, at %s", dialogs, v.Path())
	}

	// The way back sends the form once more, and shows no token.
	v.AcceptDialogs()
	v.Back()
	if source := v.Source(); strings.Contains(source, token) {
		t.Error("going back shows the token again")
	}
	if keys := w.keysOf(bob); len(keys) != 1 {
		t.Errorf("there are %d keys", len(keys))
	}
}

func TestCreatingAKeyByKeyboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(bobEmail, false)
	v := w.browseAs(bobEmail, browsertest.Options{})
	v.Go("/keys/new")
	v.Click("#name")
	v.Type("by hand")
	v.Press("Enter")
	v.See("Key “by hand” created")
	v.DismissDialogs()
	v.Reload()
	if dialogs := v.Dialogs(); len(dialogs) != 1 {
		t.Errorf("reloading: dialogs %q", dialogs)
	}
	// Selecting and copying the token counts as well.
	v.Eval(`getSelection().selectAllChildren(document.querySelector("#token"))`, nil)
	v.Press("Control+c")
	v.ClickText("Usage")
	v.See("This minute")
}

// fillUsage creates keys for a user in all states, and a month of requests.
func (w *world) fillUsage(u account.User) (busy account.Key) {
	w.t.Helper()
	old, _ := w.addKey(u, "first try")
	if _, err := w.db.Accounts.RevokeKey(w.t.Context(), old.ID, account.By{At: millis()}); err != nil {
		w.t.Fatal(err)
	}
	loud, _ := w.addKey(u, "a crawler with a long name that says all about it")
	if _, err := w.db.Accounts.SuspendKey(w.t.Context(), loud.ID, "asks for everything every second", account.By{At: millis()}); err != nil {
		w.t.Fatal(err)
	}
	w.addKey(u, "spreadsheet")
	busy, token := w.addKey(u, "price watcher")
	var rows []quota.UsageRow
	add := func(hour int64, route string, outcome quota.Outcome, count int64) {
		rows = append(rows, quota.UsageRow{KeyID: busy.ID, Hour: millis()/3_600_000 - hour, Route: route, Outcome: outcome, Count: count})
	}
	for hour := int64(1); hour < 30*24; hour++ {
		n := 20 + (hour*hour+hour*7)%900
		add(hour, "/catalog/prices", quota.OutcomeOK, n)
		add(hour, "/catalog/search", quota.OutcomeOK, n/7)
		add(hour, "/catalog/search", quota.OutcomeClientError, n%41)
		if hour%5 == 0 {
			add(hour, "/catalog/prices", quota.OutcomeRefused, n/3)
		}
	}
	if err := w.db.Accounts.SaveUsage(w.t.Context(), quota.UsageBatch{Run: "before", Number: 1, Rows: rows}); err != nil {
		w.t.Fatal(err)
	}
	for range 13 {
		w.requestAPI(token, "/account/me")
	}
	if err := w.keys.SaveUses(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	if err := w.flusher.Flush(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return busy
}

// lookAtForms looks at the form for a key, at its messages about mistakes, and at
// the page with the token.
func lookAtForms(v *browsertest.Visitor, wrong bool, check func(page string)) {
	const send = `document.querySelector("form[action='/keys/new']").submit()` // without the browser's own checks
	v.Go("/keys/new")
	check("new")
	if wrong {
		v.Eval(`for (const box of document.querySelectorAll("[name=permission]")) box.checked = false;
			document.querySelector("#until").value = "2000-01-01";`+send, nil)
		v.Text(".wrong")
		check("wrong")
		v.Go("/keys/new")
	}
	v.Eval(`document.querySelector("#name").value = "nightly report";`+send, nil)
	v.Text("#token")
	check("created")
}

func TestLooksOfKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true) // has no key
	busy := w.fillUsage(w.addUser(bobEmail, false))
	for _, look := range looks {
		look.Timezone = "Europe/Kyiv"
		v := w.browseAs(bobEmail, look.Options)
		check := func(page string) {
			t.Helper()
			judge(v, "keys-"+page+"-"+look.name)
		}
		v.Go("/keys")
		v.Click("summary") // the revoked ones
		check("list")
		v.Go("/keys/" + busy.ID)
		check("key")
		v.Go("/keys/" + busy.ID + "/revoke")
		check("revoke")
		v.Go("/usage")
		if n := v.Count("svg.chart"); n != 2 {
			t.Errorf("%s: %d charts", look.name, n)
		}
		v.Click("summary") // the table of hours
		check("usage")
		if size := v.PageBytes(); size > 100_000 {
			t.Errorf("%s: the page of usage has %d bytes", look.name, size)
		}
		lookAtForms(v, look.Width != 0 || look.Language != "", check)
	}
	for _, look := range looks {
		v := w.browseAs(annEmail, look.Options)
		for _, page := range []string{"/keys", "/usage"} {
			visit(v, page, "keys-empty"+strings.ReplaceAll(page, "/", "-")+"-"+look.name)
		}
	}
}

// TestManyKeysInOnePage has as many keys as a user may have, and more revoked
// ones.
func TestManyKeysInOnePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.addUser(bobEmail, false)
	for i := range 60 + account.MaxKeys {
		// Made by an operator: bob could not make as many in a day.
		key, _ := w.issue(millis(), "cli:test", account.Draft{Name: fmt.Sprint("program ", i), UserID: bob.ID})
		if i < 60 {
			if _, err := w.db.Accounts.RevokeKey(t.Context(), key.ID, account.By{At: millis()}); err != nil {
				t.Fatal(err)
			}
		}
		w.saveUsage(key.ID, int64(i), "/catalog/search", quota.OutcomeOK, int64(1000*i+1))
	}
	v := w.browseAs(bobEmail, browsertest.Options{})
	for _, path := range []string{"/keys", "/usage"} {
		v.Go(path)
		if size := v.PageBytes(); size > 100_000 {
			t.Errorf("%s has %d bytes", path, size)
		}
	}
	v.Go("/keys")
	v.Click("summary")
	v.See("40 older keys are not listed.")
}

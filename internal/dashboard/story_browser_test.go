package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/testing/browsertest"
)

// TestStory goes the whole way with two people: from the set-up link of the
// first start to a key that works in the API, is suspended, resumed and
// revoked, and to the log that records all of it.
func TestStory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.browse(browsertest.Options{})
	ann.Go(w.addLink(account.LinkSetup, func(*account.Link) {}))
	ann.Fill("Email address", annEmail)
	ann.Fill("New password", password)
	ann.Submit("Create account")
	ann.ClickText("Administration")
	ann.Fill("Email address of the new user", bobEmail)
	ann.Submit("Create an invitation")
	ann.ClickText("Copy")
	ann.See("Copied")
	invitation := strings.TrimPrefix(ann.Clipboard(), w.server.URL)

	bob := w.browse(browsertest.Options{})
	bob.Go(invitation)
	bob.Fill("New password", otherPassword)
	bob.Submit("Create account")
	bob.ClickText("Create your first key")
	bob.Fill("Name", "price watcher")
	bob.Submit("Create key")
	token := bob.Text("#token")
	for range 3 {
		w.requestAPI(token, "/catalog/search?q=witcher").wants(t, http.StatusOK)
	}
	bob.ClickText("I have saved it")
	bob.ClickText("price watcher")
	if err := w.flusher.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	bob.ClickText("Usage")
	bob.See("Answered: 3")
	for _, path := range []string{"/keys", "/keys/new", "/usage"} {
		bob.Go(path)
		if strings.Contains(bob.Source(), token) {
			t.Errorf("%s shows the token again", path)
		}
	}
	bob.ClickText("Catalog")
	bob.Fill("Title, ID or store link", "witcher 3")
	bob.Press("Enter")
	bob.Click(".tiles a")
	bob.See("Prices by country")

	ann.Go("/admin/keys")
	ann.ClickText("price watcher")
	ann.Fill("Reason (shown to the owner and to clients)", "asks too much")
	ann.Submit("Suspend")
	w.eventually("the key is suspended", func() bool { return w.code(token) == "KEY_SUSPENDED" })
	bob.ClickText("Keys")
	bob.See("asks too much")
	ann.ClickText("Resume")
	w.eventually("the key works again", func() bool { return w.code(token) == "" })

	bob.ClickText("price watcher")
	bob.ClickText("Revoke key")
	bob.See("This cannot be undone.")
	bob.Submit("Revoke key")
	w.eventually("the key is revoked", func() bool { return w.code(token) == "KEY_REVOKED" })
	ann.Go("/admin/users")
	ann.ClickText(bobEmail)
	ann.ClickText("Disable")
	bob.Reload()
	if bob.Path() != "/signin" {
		t.Errorf("a disabled user is at %s", bob.Path())
	}

	ann.Go("/admin/audit")
	var mentioned []string
	ann.Eval(`[...document.querySelectorAll("tbody tr")].map((row) => [1, 2].map((i) => row.cells[i].textContent).join(" "))`, &mentioned)
	want := []string{annEmail + " disabled a user", bobEmail + " revoked a key", annEmail + " resumed a key", annEmail + " suspended a key",
		bobEmail + " created a key", bobEmail + " signed in", bobEmail + " created a user", annEmail + " created a link",
		annEmail + " signed in", annEmail + " created a user", "cli:test created a link"}
	if diff := cmp.Diff(want, mentioned); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
}

// TestStoryOfSignUp plays the story of a person whom nobody invited and whose
// browser runs no scripts.
func TestStoryOfSignUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signUpIs(web.SignUpOpen))
	v := w.browse(browsertest.Options{NoScript: true})
	v.Go("/")
	v.ClickText("Sign up")
	v.Fill("Email address", bobEmail)
	v.Fill("New password", password)
	v.Submit("Create account")
	v.See("If the address was available")
	v.Fill("Email address", bobEmail)
	v.Fill("Password", password)
	v.Submit("Sign in")
	v.ClickText("Create your first key")
	v.Fill("Name", "cron")
	v.Submit("Create key")
	w.requestAPI(v.Text("#token"), "/account/me").wants(t, http.StatusOK)
}

// TestLooksOfTheFirstPage checks the page that everybody sees first, and the
// error pages.
func TestLooksOfTheFirstPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(bobEmail, false)
	w.fillUsage(w.addUser(annEmail, true))
	for _, look := range looks {
		visit(w.browse(look.Options), "/", "home-page-"+look.name)
		v := w.browseAs(bobEmail, look.Options)
		visit(v, "/", "home-signed-in-"+look.name)
		visit(v, "/admin/users", "home-admins-only-"+look.name)
	}
	w.live.Swap(widened(w.live.View(), []catalog.Region{catalog.MustRegion("UA"), catalog.MustRegion("TR")})) // the stores are degraded
	for _, look := range looks {
		visit(w.browseAs(annEmail, look.Options), "/", "home-with-keys-"+look.name)
	}
	v := w.browse(browsertest.Options{NoScript: true})
	v.Go("/")
	v.Submit("Русский")
	v.See("Цены на игры во всех странах")
	if lang := v.Attribute("html", "lang"); lang != "ru" {
		t.Errorf("the page says that its language is %q", lang)
	}
}

// TestTimesAreLocal checks that times are shown in the visitor's own time and
// language, with UTC in the title, and without the script in UTC.
func TestTimesAreLocal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.addUser(annEmail, true)
	key, _ := w.issue(1_767_220_200_000, ann.ID, account.Draft{Name: "timed", UserID: ann.ID}) // 2025-12-31 22:30
	for _, tt := range []struct {
		browsertest.Options
		want string
	}{
		{browsertest.Options{Timezone: "Europe/Kyiv"}, "1 Jan 2026, 00:30 UTC+2"},
		{browsertest.Options{Timezone: "Asia/Tokyo", Language: "ru"}, "1 янв. 2026, 07:30 UTC+9"},
		{browsertest.Options{Timezone: "Europe/Kyiv", Language: "uk"}, "1 січ. 2026, 00:30 UTC+2"},
		{browsertest.Options{Timezone: "Asia/Tokyo", NoScript: true}, "31 Dec 2025, 22:30 UTC"},
	} {
		v := w.browseAs(annEmail, tt.Options)
		v.Go("/keys/" + key.ID)
		const created = `time[datetime="2025-12-31T22:30:00Z"]`
		if shown := v.Text(created); shown != tt.want {
			t.Errorf("%+v: shows %q, want %q", tt.Options, shown, tt.want)
		}
		if title := v.Attribute(created, "title"); title != "2025-12-31 22:30:00 UTC" {
			t.Errorf("%+v: the title is %q", tt.Options, title)
		}
	}
}

// stops lists what the Tab key stopped at, and whether the focus could be seen
// there; targets, what it has to stop at.
const stops = `
	window.stops = [];
	document.addEventListener("focusin", (event) => {
		const at = event.target, style = getComputedStyle(at);
		window.stops.push(at);
		at.dataset.seen = at.matches(":focus-visible") && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
	});
	window.targets = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].filter((e) =>
		e.checkVisibility() && !e.disabled && e.type !== "hidden" && !(e.type === "radio" && !e.checked));
	document.activeElement.blur();
	targets.length`

// TestKeyboardReachesEverything checks that the Tab key reaches everything that
// can be used, and that the focus is visible.
func TestKeyboardReachesEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob, key, _ := w.busy()
	v := w.browseAs(annEmail, browsertest.Options{})
	for _, path := range fewer([]string{"/en/browse?q=elden", "/keys", "/keys/new", "/", "/usage", pcWitcher, "/status", "/profile",
		"/admin/users", "/admin/users/" + bob.ID, "/admin/keys", "/admin/keys/" + key.ID, "/admin/platforms", "/admin/audit"}) {
		v.Go(path)
		var targets int
		v.Eval(stops, &targets)
		if targets < 8 {
			t.Errorf("%s: there are only %d things to use", path, targets)
		}
		v.Tab(targets + 3) // the page's own scrolling parts, and the way round
		var wrong []string
		v.Eval(`[...targets.filter((e) => !stops.includes(e)).map((e) => "not reached: " + e.outerHTML),
			...stops.filter((e) => e.dataset.seen !== "true").map((e) => "no visible focus: " + e.outerHTML)]`, &wrong)
		for _, what := range wrong {
			t.Errorf("%s: %s", path, cutAt(what, 200))
		}
	}
}

func cutAt(s string, n int) string {
	if len(s) > n {
		return fmt.Sprintf("%s… (%d bytes)", s[:n], len(s))
	}
	return s
}

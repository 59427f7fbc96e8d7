package dashboard_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/testing/oidctest"
)

// TestEveryActionIsInTheLog checks that everything that the pages can do to
// people, keys, webhooks and platforms is in the log, with who did it and from where.
func TestEveryActionIsInTheLog(t *testing.T) {
	t.Parallel()
	pw := newProviderWorld(t, web.SignUpInvite, oidctest.Behaviour{Person: person(bobEmail)})
	w := pw.world
	ann := w.newVisitor()
	ann.post(w.addLink(account.LinkSetup, func(*account.Link) {}), "email", annEmail, "password", password)
	invite := ann.post("/admin/users/invite", "email", bobEmail).link(t, w)
	bob := w.newVisitor()
	bob.post(invite, "password", password)
	id := w.user(bobEmail).ID
	bob.createKey("one")
	key := w.keysOf(w.user(bobEmail))[0].ID
	bob.post("/keys/"+key+"/name", "name", "two")
	bob.post("/profile/sessions")
	hook := "/admin/webhooks/" + w.addWebhook(w.addHookKey(w.user(bobEmail), "hooks"), "https://receiver.example/").ID
	bob.get("/signin/oidc") // ties the provider, and signs in
	for _, step := range [][]string{
		{"/admin/keys/" + key + "/limits", "limit-minute", "7", "limit-day", "77"}, {"/admin/keys/" + key + "/suspend", "reason", "too loud"},
		{"/admin/keys/" + key + "/resume"}, {"/admin/keys/" + key + "/revoke"},
		{"/admin/users/" + id + "/admin"}, {"/admin/users/" + id + "/no-admin"}, {"/admin/users/" + id + "/disable"}, {"/admin/users/" + id + "/enable"},
		{"/admin/users/invite", "email", "eve@example.org"}, {"/admin/platforms/pcstore", "status", "degraded"},
		{hook + "/off"}, {hook + "/delete"},
	} {
		ann.post(step[0], step[1:]...).wants(t, http.StatusOK)
	}
	users := ann.get("/admin/users").body
	ann.post("/admin/links/" + between(t, users, `action="/admin/links/`, `/revoke"`) + "/revoke")
	ann.post("/profile/password", "current", password, "password", otherPassword)
	ann.post("/admin/users/" + id + "/delete")
	command := account.By{At: millis(), Actor: "cli:test"} // no page does these
	err := errors.Join(w.db.Nodes.SaveOverrides(t.Context(), []byte("{}"), command),
		w.db.Nodes.RegisterProfile(t.Context(), []catalog.Platform{catalog.PCStore}, "hash", command))
	if err != nil {
		t.Fatal(err)
	}

	page := ann.get("/admin/audit").body
	options := regexp.MustCompile(`<option value="([a-z.-]+)"`).FindAllStringSubmatch(page, -1)
	if len(options) < 19 {
		t.Fatalf("the filter has %d actions\n%s", len(options), page)
	}
	for _, option := range options {
		action := account.Action(option[1])
		entries, err := w.db.Accounts.SearchAudit(t.Context(), account.AuditQuery{Action: action, Limit: 100})
		if err != nil || len(entries) == 0 {
			t.Errorf("the log has nothing on %s: %v", action, err)
		}
		for _, e := range entries {
			// The log keeps no address of a deleted user.
			if e.At == 0 || e.Object == "" || e.Actor == "" || e.From == "" && e.Actor != id && e.Actor != "cli:test" {
				t.Errorf("%s: the log says %+v", action, e)
			}
		}
	}
	all, err := w.db.Accounts.SearchAudit(t.Context(), account.AuditQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if !slices.ContainsFunc(options, func(o []string) bool { return o[1] == string(e.Action) }) {
			t.Errorf("the filter lacks %s", e.Action)
		}
	}
}

// TestUsageIsWhatWasSent sends requests through the API, some of them over the
// limit, and finds exactly these on the page.
func TestUsageIsWhatWasSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.addUser(bobEmail, false)
	// A limit by day: a minute may end in the middle.
	key, token := w.issue(millis(), bob.ID, account.Draft{Name: "counted", UserID: bob.ID, LimitMinute: 1000, LimitDay: 32})
	sent := map[int]int{}
	for i := range 37 {
		sent[w.requestAPI(token, []string{"/account/me", "/catalog/platforms", "/catalog/games/none"}[i%3]).status]++
	}
	if diff := cmp.Diff(map[int]int{200: 22, 404: 10, 429: 5}, sent); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	for _, path := range []string{"/usage", "/keys/" + key.ID} {
		text := shownText(w.signIn(bobEmail).get(path).body)
		for _, want := range []string{
			"Requests: 37; most", "Answered: 22", "Refused (429): 5", "Errors: 10", "Today 32 of 32",
			"/account/me 13 2 0", "/catalog/platforms 12 1 0", "/catalog/games/{gameId} 12 2 10",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q: %s", path, want, text)
			}
		}
	}
}

// TestTheCardsCommandsWork checks that, with a key filled in, the commands on a
// card's page get from the API what the links beside them show.
func TestTheCardsCommandsWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, token := w.addKey(w.addUser(bobEmail, false), "curious")
	v := w.signIn(bobEmail)
	for _, path := range []string{pcWitcher + "?region=UA&region=PL&period=all", w.consoleAddress("Cyberpunk 2077")} {
		page := v.get(path).body
		for _, name := range []string{"prices", "history"} {
			_, part, _ := strings.Cut(page, `<code id="request-`+name+`">`)
			command := html.UnescapeString(part[:strings.Index(part, "</code>")])
			_, address, _ := strings.Cut(command, "'"+w.server.URL)
			got := w.requestAPI(token, strings.TrimSuffix(strings.TrimPrefix(address, "/api/v1"), "'"))
			shown := v.get(html.UnescapeString(between(t, part, `<a href="`, `"`)))
			if kind := shown.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
				t.Errorf("%s: the link beside %s leads to %s", path, name, kind)
			}
			var fromPage, fromAPI struct{ Data json.RawMessage }
			for text, into := range map[string]any{shown.body: &fromPage, got.body: &fromAPI} {
				if err := json.Unmarshal([]byte(text), into); err != nil {
					t.Fatalf("%s: %v in %s", path, err, text)
				}
			}
			if diff := cmp.Diff(indented(t, fromPage.Data), indented(t, fromAPI.Data)); diff != "" || len(fromAPI.Data) < 1000 {
				t.Errorf("%s: %s: the page and the API (-page +API):\n%s", path, name, diff)
			}
		}
	}
}

func indented(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", " "); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

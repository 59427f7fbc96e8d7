package dashboard_test

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/quota"
	"gamedex/internal/webhook"
)

// attackedWorld is a world with an object for every route, so that attacks can
// go over the whole route table. Everybody in it has the world's password.
type attackedWorld struct {
	*world
	ann, bob, eve account.User         // an administrator and two users
	former, other account.User         // a disabled user, a further administrator
	key, stopped  account.Key          // bob's; one of them is suspended
	token         string               // of bob's key
	hook          webhook.Subscription // bob's
	links         map[string]string
	hash          string // of the invitation, in hex
	card          string // id of a console card
}

const eveEmail = "eve@example.org"

func newAttackedWorld(t testing.TB, change ...func(*world, *dashboard.Config)) *attackedWorld {
	t.Helper()
	s := &attackedWorld{world: newWorld(t, append([]func(*world, *dashboard.Config){signUpIs(web.SignUpOpen), tireless}, change...)...)}
	s.ann, s.bob, s.eve = s.addUser(annEmail, true), s.addUser(bobEmail, false), s.addUser(eveEmail, false)
	s.former, s.other = s.addUser("former@example.org", false), s.addUser("other@example.org", true)
	s.key, s.token = s.addKey(s.bob, "bob's key")
	s.stopped, _ = s.addKey(s.bob, "bob's stopped key")
	s.hook = s.addWebhook(s.addHookKey(s.bob, "bob's key for webhooks"), "https://receiver.example/prices")
	by := account.By{At: millis(), Actor: s.ann.ID}
	if err := s.db.Accounts.DisableUser(t.Context(), s.former.ID, by); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Accounts.SuspendKey(t.Context(), s.stopped.ID, "too loud", by); err != nil {
		t.Fatal(err)
	}
	s.links = map[string]string{
		"setup":  path.Base(s.addLink(account.LinkSetup, func(*account.Link) {})),
		"invite": path.Base(s.addLink(account.LinkInvite, func(l *account.Link) { l.Email = "guest@example.org" })),
		"reset":  path.Base(s.addLink(account.LinkReset, func(l *account.Link) { l.UserID = s.bob.ID })),
	}
	hash := account.HashToken(s.links["invite"])
	s.hash = hex.EncodeToString(hash[:])
	live := s.live.View()
	for i := 0; s.card == ""; i++ {
		if c := live.Card(i); c.Platform() == catalog.ConsoleStore {
			s.card = c.ID()
		}
	}
	return s
}

// tireless raises the limits of catalog searches beyond what attacks need.
func tireless(w *world, cfg *dashboard.Config) {
	limits := quota.Limits{Minute: account.MaxLimitMinute, Day: account.MaxLimitDay}
	cfg.API = api.New(w.wire(quota.NewMemory(), cfg.Keys.Limits, limits)).Pages
}

func (s *attackedWorld) as(u account.User) *visitor {
	s.t.Helper()
	return s.signedIn(u.Email).staying()
}

func (s *attackedWorld) pathOf(rt dashboard.Route) string {
	s.t.Helper()
	id := s.key.ID
	switch {
	case strings.HasSuffix(rt.Path, "/enable"):
		id = s.former.ID
	case strings.HasSuffix(rt.Path, "/no-admin"):
		id = s.other.ID
	case strings.HasSuffix(rt.Path, "/resume"):
		id = s.stopped.ID
	case strings.HasPrefix(rt.Path, "/admin/users/"):
		id = s.bob.ID
	case strings.HasPrefix(rt.Path, "/en/games/"), strings.HasPrefix(rt.Path, "/explore/"):
		id = s.card
	}
	operation := "search"
	if rt.Method == http.MethodPost {
		operation = "postPrices"
	}
	purpose, _, _ := strings.Cut(strings.TrimPrefix(rt.Path, "/"), "/")
	if rt.Path == "/watched" && rt.Method == http.MethodGet {
		return "/watched?game=pcstore/elden-ring"
	}
	filled := strings.NewReplacer("{$}", "", "{id}", id, "{hash}", s.hash, "{webhook}", s.hook.ID, "{platform}", "pcstore",
		"{region}", "ua", "{title}", "-", "{path}", "prices", "{guide}", "polling", "{schema}", "PriceItem", "{operation}", operation, "{token}", s.links[purpose]).Replace(rt.Path)
	if strings.Contains(filled, "{") {
		s.t.Fatalf("%s: the attacks do not know what to put into the path", rt.Path)
	}
	return filled
}

func (s *attackedWorld) formOf(rt dashboard.Route) []string {
	s.t.Helper()
	once := fmt.Sprintf("%s.%s", strconv.FormatInt(millis(), 36), "AAAAAAAAAAAAAAAA")
	newcomer := []string{"email", "new@example.org", "password", otherPassword}
	forms := map[string][]string{
		"/language": {"to", "ru"}, "/signin": {"email", bobEmail, "password", password}, "/signout": {},
		"/signup": newcomer, "/setup/{token}": newcomer, "/invite/{token}": newcomer, "/reset/{token}": newcomer,
		"/profile/password": {"current", password, "password", otherPassword}, "/profile/sessions": {},
		"/profile/delete": {"password", password, "email", annEmail},
		"/keys/new":       {"once", once, "name", "forged", "permission", "read:catalog", "expires", "never"},
		"/keys/{id}/name": {"name", "forged"}, "/keys/{id}/revoke": {},
		"/admin/users/invite": {"email", "third@example.org"}, "/admin/links/{hash}/revoke": {},
		"/admin/users/{id}/disable": {}, "/admin/users/{id}/enable": {}, "/admin/users/{id}/admin": {}, "/admin/users/{id}/no-admin": {},
		"/admin/users/{id}/reset": {}, "/admin/users/{id}/sign-out": {}, "/admin/users/{id}/delete": {},
		"/admin/keys/{id}/suspend": {"reason", "forged"}, "/admin/keys/{id}/resume": {}, "/admin/keys/{id}/revoke": {},
		"/admin/keys/{id}/limits": {"limit-minute", "7", "limit-day", "77"}, "/admin/platforms/{platform}": {"status", "outage"},
		"/webhooks/new":            {"once", once, "url", "https://receiver.example", "ids", "elden-ring", "when", "drop", "key", s.hook.KeyID},
		"/webhooks/{webhook}/ping": {}, "/webhooks/{webhook}/active": {"active", "false"},
		"/webhooks/{webhook}/url": {"url", "https://other.example"}, "/webhooks/{webhook}/delete": {},
		"/admin/webhooks/{webhook}/off": {}, "/admin/webhooks/{webhook}/delete": {},
		"/watched":                        {"game", "pcstore/elden-ring", "watch", "1"},
		"/docs/endpoints/{operation}/try": {"body", `{"ids":["elden-ring"]}`},
	}
	form, known := forms[rt.Path]
	if !known {
		s.t.Fatalf("POST %s: the attacks do not know its form", rt.Path)
	}
	return form
}

func routesOf(method string) []dashboard.Route {
	return slices.DeleteFunc(dashboard.Routes(), func(rt dashboard.Route) bool { return rt.Method != method })
}

// state returns the content of the database by table and row. It has only the
// size of the catalog and leaves out sessions, because looking at pages creates
// some.
func (s *attackedWorld) state() map[string]string {
	s.t.Helper()
	pool, err := sql.Open("sqlite", "file:"+s.db.File.Path()+"?mode=ro")
	if err != nil {
		s.t.Fatal(err)
	}
	defer pool.Close()
	rows, err := pool.QueryContext(s.t.Context(), "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('session', 'lease')")
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	state := map[string]string{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			s.t.Fatal(err)
		}
		query := "SELECT * FROM " + name
		if slices.Contains([]string{"facts", "prose", "listing", "history", "served_id"}, name) {
			query = "SELECT COUNT(*) FROM " + name
		}
		if err := readTable(pool, name, query, state); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return state
}

func readTable(pool *sql.DB, name, query string, state map[string]string) error {
	rows, err := pool.Query(query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for n := 0; rows.Next(); n++ {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		state[fmt.Sprint(name, " ", n)] = fmt.Sprint(values)
	}
	return rows.Err()
}

func (s *attackedWorld) unchanged(before map[string]string, what string) {
	s.t.Helper()
	if diff := cmp.Diff(before, s.state()); diff != "" {
		s.t.Errorf("%s had an effect:\n%s", what, diff)
	}
}

// TestFormsOfTheAttacksWork complements the tests that expect no effect: the
// same forms have an effect when visitors who may send them do.
func TestFormsOfTheAttacksWork(t *testing.T) {
	t.Parallel()
	// These change no more than a cookie, or nothing; the set-up is over once there are
	// users.
	unnoticed := []string{"/language", "/signout", "/setup/{token}", "/docs/endpoints/{operation}/try"}
	for _, rt := range routesOf(http.MethodPost) {
		if slices.Contains(unnoticed, rt.Path) {
			continue
		}
		s := newAttackedWorld(t)
		who := s.ann
		if strings.HasPrefix(rt.Path, "/keys/{id}") || strings.HasPrefix(rt.Path, "/webhooks") {
			who = s.bob
		}
		v, before := s.as(who), s.state()
		p := v.post(s.pathOf(rt), s.formOf(rt)...)
		if after := s.state(); maps.Equal(before, after) {
			t.Errorf("%s: status %d, and nothing changed", rt.Path, p.status)
		}
	}
}

// TestSecurityNamesTests checks that the tests that doc/security.md names
// exist.
func TestSecurityNamesTests(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	tests := ""
	for _, dir := range []string{"internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(file string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(file, "_test.go") {
				tests += readFile(t, file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	page := readFile(t, filepath.Join(root, "doc", "security.md"))
	if rows := regexp.MustCompile(`(?m)^\| API\d+ .*\| Test\w+.*\|$`).FindAllString(page, -1); len(rows) != 10 {
		t.Errorf("doc/security.md has tests for %d of the ten risks of OWASP", len(rows))
	}
	names := regexp.MustCompile(`\bTest\w+`).FindAllString(page, -1)
	if len(names) < 20 {
		t.Errorf("doc/security.md names %d tests only", len(names))
	}
	for _, name := range names {
		if !strings.Contains(tests, "\nfunc "+name+"(") {
			t.Errorf("doc/security.md names the test %s, which does not exist", name)
		}
	}
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func (v *visitor) send(method, path, kind string, body io.Reader, header http.Header) answered {
	v.w.t.Helper()
	all := http.Header{}
	maps.Copy(all, header)
	if kind != "" {
		all.Set("Content-Type", kind)
	}
	return v.request(v.staying().client, method, v.w.server.URL+path, body, all)
}

const formKind = "application/x-www-form-urlencoded"

func encoded(pairs []string) io.Reader { return strings.NewReader(valuesOf(pairs).Encode()) }

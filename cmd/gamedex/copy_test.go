package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/porttest"
	"gamedex/internal/webhook"
)

// fileDSN returns the DSN of a database in a new folder.
func fileDSN(dir string) string { return "sqlite:" + filepath.Join(dir, "gamedex.db") }

// everythingIn returns what a copy has to have: listings, keys, users, their usage, the games that they watch,
// the audit log, webhooks with the message that waits, and the ids of cards.
func everythingIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, command := range []string{"export", "key list --json", "user list --json"} {
		all[command] = must(t, dir, "", strings.Fields(command)...)
	}
	db := openDB(t, dir)
	defer db.Close()
	for table, columns := range map[string][]string{
		"usage": {"key_id", "hour", "route", "outcome", "count"}, "audit": {"id", "at", "actor", "action", "object", "detail", "origin"},
		"served_id": {"id", "platform", "product"}, "person": {"id", "email", "password_hash", "admin"}, "api_key": {"id", "hash", "last_used_at"},
		"watch": {"user_id", "game", "region", "currency", "price", "seen_at"}, "webhook": {"id", "secret", "deals", "source", "message_id", "version"},
		"webhook_game": {"webhook_id", "game", "state"}, "webhook_message": {"webhook_id", "body"}, "webhook_try": {"webhook_id", "number", "at", "error"},
	} {
		order := strings.Join(columns, ", ")
		text := "SELECT " + order + " FROM " + table + " ORDER BY " + order
		values, dest := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			dest[i] = &values[i]
		}
		err := db.Query(t.Context(), "read "+table, text, nil, func(rows engine.Rows) error {
			err := rows.Scan(dest...)
			all[table] += fmt.Sprintln(values...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range all {
		if text == "" {
			t.Errorf("%s: there is nothing to compare", name)
		}
	}
	return all
}

// addWebhook stores a webhook with a message that waits.
func addWebhook(t *testing.T, of *shop) {
	t.Helper()
	db := openDB(t, of.dir)
	defer db.Close()
	var key string
	if _, err := db.FindRow(t.Context(), "find a key", "SELECT MIN(id) FROM api_key WHERE revoked_at = 0", nil, []any{&key}); err != nil {
		t.Fatal(err)
	}
	s := webhook.Subscription{ID: "whk_1", KeyID: key, URL: "https://receiver.example", Secret: "whsec_c2VjcmV0", Version: 1,
		Filter: webhook.Filter{Deals: "?minDiscount=50", When: webhook.WhenDeal}, Cursor: webhook.Cursor{Source: 1<<64 - 2}}
	if err := db.Webhooks.Create(t.Context(), s, []webhook.Served{{Game: "pcstore/a"}, {Game: "pcstore/b", State: []byte{0, 255}}}); err != nil {
		t.Fatal(err)
	}
	s.Message = webhook.Message{ID: "msg_1", Body: []byte("{}")}
	step := webhook.Outcome{NewMessage: true, Try: &webhook.Try{At: 1, MessageID: "msg_1", Error: "no answer"}}
	if saved, err := db.Webhooks.Save(t.Context(), s, step); !saved || err != nil {
		t.Fatal(saved, err)
	}
}

// TestCopyThereAndBack takes a service from a file to PostgreSQL and back. Everything is
// there each time, and the service goes on at once. While one runs, its database is not
// copied.
func TestCopyThereAndBack(t *testing.T) {
	fileOnly(t, "it copies a database in a file")
	enginetest.Need(t, "postgres")
	t.Parallel()
	first := copyOfShared(t)
	second, third := t.TempDir(), t.TempDir()
	usePostgres(t, second)
	must(t, first.dir, "first of all of us\n", "user", "create", "ann@example.org", "--admin", "--password-stdin")
	file := filepath.Join(first.dir, "overrides.ndjson")
	writeFile(t, file, `{"platform":"pcstore","product":"P2","edition":"Gold"}`+"\n")

	s := startInside(t, new(clock), first.dir)
	u := s.client(first.token)
	farm := idOf(u, "Moon Farm")
	prices := u.get("/catalog/prices?ids=" + farm).want(200).at("data.items.0.regions")
	ann := newPerson(t, s.api)
	if !ann.signIn("ann@example.org", "first of all of us") {
		t.Error("a user cannot sign in")
	}
	ann.send("/watched", url.Values{"game": {"consolestore/" + farm}, "watch": {"1"}})
	used := usedToday(u)
	r := run(t, first.dir, "", "copy", "--to", fileDSN(third))
	if r.status != 1 || !strings.Contains(r.stderr, "in use by another gamedex process; stop that process first") {
		t.Errorf("copy of a file that is served: %+v", r)
	}
	s.stop()
	addWebhook(t, first)
	want := everythingIn(t, first.dir)
	r = run(t, first.dir, "", "copy", "--to", serverDSN(t, second))
	if out := r.stdout; r.status != 0 || !strings.HasPrefix(out, "copied ") || !strings.Contains(out, ", users 1, keys ") || strings.Count(out, "\n") != 1 {
		t.Fatalf("copy: %+v", r)
	}
	if want := "the copy has overrides of 0 products, and the original of 1; to copy them: with the new database, gamedex overrides import " + file; !strings.Contains(r.stderr, want) {
		t.Errorf("copy says %q, want %q", r.stderr, want)
	}
	if diff := cmp.Diff(want, everythingIn(t, second)); diff != "" {
		t.Errorf("the copy on PostgreSQL differs:\n%s", diff)
	}
	must(t, second, "", "overrides", "import", file)

	s = startInside(t, new(clock), second)
	u = s.client(first.token)
	if now := usedToday(u); now <= used {
		t.Errorf("%d requests are counted, %d were before the copy", now, used)
	}
	if diff := cmp.Diff(prices, u.get("/catalog/prices?ids="+farm).want(200).at("data.items.0.regions")); diff != "" {
		t.Errorf("prices differ:\n%s", diff)
	}
	if !newPerson(t, s.api).signIn("ann@example.org", "first of all of us") {
		t.Error("a user cannot sign in")
	}
	r = run(t, second, "", "copy", "--to", fileDSN(third))
	if r.status != 1 || !strings.Contains(r.stderr, "; stop all processes that use it first (one that was killed counts as running for 15s)") {
		t.Errorf("copy of a database on a server that is served: %+v", r)
	}
	if _, err := os.Stat(filepath.Join(third, "gamedex.db")); !os.IsNotExist(err) {
		t.Errorf("a copy that was refused made a file: %v", err)
	}
	s.stop()

	want = everythingIn(t, second)
	back := command(t, second, "copy")
	back.Env = append(back.Env, "GAMEDEX_COPY_TO="+fileDSN(third))
	said, err := back.CombinedOutput()
	if want := "the original of 1; to copy them: with the old database, gamedex overrides export > " + filepath.Join(third, "overrides.ndjson"); err != nil || !strings.Contains(string(said), want) {
		t.Fatalf("back: %v, %s; want %q", err, said, want)
	}
	if diff := cmp.Diff(want, everythingIn(t, third)); diff != "" {
		t.Errorf("the copy in a file differs:\n%s", diff)
	}
	if !fullWorld() {
		return
	}
	must(t, third, "", "check")
	s = startInside(t, new(clock), third)
	u = newUser(t, s.api, first.token)
	u.eventually("/catalog/prices?ids="+farm, func(a answer) bool { return a.status == 200 && cmp.Equal(a.at("data.items.0.regions"), prices) })
	if !newPerson(t, s.api).signIn("ann@example.org", "first of all of us") {
		t.Error("a user cannot sign in to the copy in a file")
	}
}

func TestCopyRefuses(t *testing.T) {
	fileOnly(t, "it copies a database in a file")
	t.Parallel()
	dir, files, closed := t.TempDir(), t.TempDir(), porttest.Closed(t)
	must(t, dir, "", "import", testFeed)
	foreign := filepath.Join(files, "foreign.db")
	writeFile(t, foreign, "nonsense")
	must(t, dir, "", "copy", "--to", fileDSN(files))
	for to, want := range map[string]string{
		"":                                     "must be sqlite:PATH or postgres://",
		fileDSN(dir):                           "both are the same database; name another one to fill",
		fileDSN(files):                         "not empty: it has rows in ",
		"sqlite:" + foreign:                    foreign + " is not an SQLite database",
		"postgres://u:secret@" + closed + "/d": "--to: open database: database " + closed + "/d does not answer",
		"postgres://u:secret@h:port/d":         "invalid port",
	} {
		r := run(t, dir, "", "copy", "--to", to)
		if r.status != 1 || !strings.Contains(r.stderr, want) || strings.Contains(r.stderr, "secret") || r.stdout != "" {
			t.Errorf("copy --to %q: %+v, want %q", to, r, want)
		}
	}
	if r := run(t, t.TempDir(), "", "copy", "--to", fileDSN(t.TempDir())); r.status != 1 || !strings.Contains(r.stderr, "there is no database at") {
		t.Errorf("copy of nothing: %+v", r)
	}
	if r := run(t, dir, "", "copy"); r.status != 2 || !strings.Contains(r.stderr, "--to") {
		t.Errorf("copy without --to: %+v", r)
	}
}

// TestCopyIsKilled kills copies at random times. The new database is empty or whole: a
// second copy fills the one, and refuses the other.
func TestCopyIsKilled(t *testing.T) {
	fileOnly(t, "it copies a database in a file")
	t.Parallel()
	c := newCampaign(t)
	games, rounds := 200, 1
	engines := []string{"a file"}
	if fullWorld() {
		games, rounds = 3000, max(5, kills(t, 10))
		if enginetest.Wanted("postgres") {
			engines = append(engines, "PostgreSQL")
		}
	}
	dir := t.TempDir()
	must(t, dir, "", "import", placed(t, filepath.Join(t.TempDir(), "feed.ndjson"), newStock(games, "UA", "TR", "PL", "IN").feed(0)))
	want := must(t, dir, "", "export")
	usual := 100 * time.Millisecond
	for i := range rounds * len(engines) {
		to := t.TempDir()
		dsn := fileDSN(to)
		if engines[i%len(engines)] == "PostgreSQL" {
			usePostgres(t, to)
			must(t, to, "", "migrate") // who is killed during that keeps others out for a while
			dsn = serverDSN(t, to)
		}
		after := c.between(0, usual)
		killed := begin(t, dir, "copy", "--to", dsn).killAfter(after)
		began := time.Now()
		r := run(t, dir, "", "copy", "--to", dsn)
		if r.status == 0 {
			usual = time.Since(began)
		}
		t.Logf("to %s, after %v: killed %v, the second copy ends with %d", engines[i%len(engines)], after, killed, r.status)
		if r.status != 0 && !strings.Contains(r.stderr, "not empty: it has rows in ") {
			t.Errorf("the second copy: %+v", r)
		}
		if got := must(t, to, "", "export"); got != want {
			t.Errorf("the copy exports %d lines, want %d", strings.Count(got, "\n"), strings.Count(want, "\n"))
		}
		must(t, to, "", "check")
	}
}

// TestOperationsPageMoves takes a service to PostgreSQL and back with the page's commands.
func TestOperationsPageMoves(t *testing.T) {
	if !fullWorld() {
		t.Skip("in the full world")
	}
	fileOnly(t, "it copies a database in a file")
	enginetest.Need(t, "postgres")
	t.Parallel()
	m := newMachine(t)
	m.install("usr/local/bin/gamedex", "")
	dir, onServer := m.dataDir(), t.TempDir()
	usePostgres(t, onServer)
	dsn := serverDSN(t, onServer)
	m.env = []string{"NEW=" + dsn, "NOW=" + dsn}
	token := fillFolder(t, dir)
	rules := `{"platform":"pcstore","product":"P2","edition":"Gold"}` + "\n"
	writeFile(t, filepath.Join(dir, "overrides.ndjson"), rules)
	serve := func() *apiUser {
		t.Helper()
		m.does("systemctl start gamedex")
		return m.user(token)
	}
	u := serve()
	paths := everything(u)
	delete(paths, "/catalog/platforms") // its times move
	want := data(u, paths)

	if out := m.must("several-machines.md#From one machine to many"); !strings.Contains(out, ": good") || !strings.Contains(out, "overrides of 1 products") {
		t.Errorf("to PostgreSQL: %s", out)
	}
	m.env = append(m.env, "GAMEDEX_DATABASE="+dsn)
	compare(t, data(serve(), paths), want)
	m.does("systemctl stop gamedex")
	m.env = m.env[:2]
	if err := os.Remove(filepath.Join(dir, "overrides.ndjson")); err != nil {
		t.Fatal(err)
	}
	m.must("several-machines.md#Back to one machine")
	if got := read(t, filepath.Join(dir, "overrides.ndjson")); got != rules {
		t.Errorf("overrides are %q, want %q", got, rules)
	}
	compare(t, data(serve(), paths), want)
}

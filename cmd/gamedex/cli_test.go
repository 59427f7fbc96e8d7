package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gamedex/cmd/gamedex/clidoc"
	"gamedex/internal/catalog"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/porttest"
)

// TestCommandsRefuse checks exit statuses, and that messages name the value
// and what to do next.
func TestCommandsRefuse(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(files, name)
		writeFile(t, path, text)
		return path
	}
	cut := gzipped(t, read(t, testFeed))
	missing := filepath.Join(files, "missing.ndjson")
	filled, closed := shared.open(t).dir, porttest.Closed(t)
	const none = "there is no database at"
	for _, c := range []struct {
		args   string
		status int
		says   []string
	}{
		{"key list", 1, []string{none, "gamedex.db", "gamedex import FILE", "gamedex serve"}},
		{"key create --name x", 1, []string{none}},
		{"key revoke key_x", 1, []string{none}},
		{"export", 1, []string{none}},
		{"explain x", 1, []string{none}},
		{"backup " + filepath.Join(files, "b.db"), 1, []string{none}},
		{"check", 1, []string{none}},
		{"rates import testdata/rates.json", 1, []string{none}},
		{"--database sqlite:" + filepath.Join(files, "nowhere.db") + " key list", 1, []string{none, "nowhere.db"}},

		{"--database postgres://u:secret@h:port/d serve", 1, []string{"invalid port", "postgres://USER:PASSWORD@HOST:PORT/DATABASE"}},
		{"--database postgres://u:secret@" + closed + "/d key list", 1, []string{"database " + closed + "/d does not answer"}},
		{"--database postgres://u:secret@h/d backup " + filepath.Join(files, "b.db"), 2, []string{"pg_dump", "doc/operations/postgresql.md"}},
		{"--database sqlite: key list", 1, []string{"sqlite:PATH"}},
		{"serve --counters redis://h", 1, []string{"--counters redis://h:6379", "--database postgres://", "memory"}},
		{"serve --counters redis://h/zero", 1, []string{"--counters", `"zero"`, "a number from 0"}},
		{"--database sqlite:x.db serve --counters rediss://h?cluster=1", 1, []string{"--counters rediss://h:6379", "--database postgres://"}},
		{"serve --bucket s3://b/x", 1, []string{"--bucket", `bucket "b"`}},
		{"serve --bucket s3://games/x", 1, []string{"--bucket", "region: required"}},
		{"check --bucket gs://games/x", 1, []string{"--bucket", "s3://bucket/prefix"}},
		{"serve --counters redis://me:secret@h", 1, []string{"--counters redis://h:6379"}},
		{"serve --counters redis://me:secret%zz@h", 1, []string{"--counters: must be a URL"}},
		{"serve --bucket s3://me:secret@games", 1, []string{"--bucket", "AWS_SECRET_ACCESS_KEY"}},
		{"serve --roles=", 1, []string{"--roles", "api, build or collect"}},
		{"serve --active-regions ,", 1, []string{"--active-regions", "UA,TR"}},
		{"serve --roles bake", 2, []string{"--roles", "bake"}},

		{"", 2, []string{"serve", "gamedex --help"}},
		{"help bake", 1, []string{"bake", "gamedex help"}},

		{"import " + files, 1, []string{files, "directory"}},
		{"import http://" + closed + "/feed", 1, []string{"http://" + closed + "/feed", "refused"}},
		{"import " + file("cut.gz", cut[:len(cut)/2]), 1, []string{"cut.gz", "truncated", "get it again"}},
		{"import " + file("cut.zst", zstded(t, read(t, testFeed))[:900]), 1, []string{"cut.zst", "truncated", "get it again"}},
		{"import " + file("sum.gz", cut[:len(cut)-8]+"xxxxxxxx"), 1, []string{"sum.gz", "damaged", "get it again"}},
		{"import " + file("bad.gz", "\x1f\x8bnonsense"), 1, []string{"bad.gz", "gzip"}},
		{"import " + file("bad.ndjson", "nonsense"), 1, []string{"bad.ndjson", "line 1", "not a JSON object"}},
		{"import --strict " + file("worse.ndjson", "{}"), 1, []string{"line 1", "nothing is stored", "fix them"}},

		{"--data-dir " + filled + " key revoke key_x", 1, []string{"key_x", "not found", "gamedex key list"}},
		{"--data-dir " + filled + " key suspend key_x", 1, []string{"key_x", "gamedex key list"}},
		{"--data-dir " + filled + " key resume key_x", 1, []string{"key_x", "gamedex key list"}},
		{"--data-dir " + filled + " explain NOPE", 1, []string{"NOPE"}},
		{"--data-dir " + filled + " backup " + file("there.db", ""), 1, []string{"there.db", "exists already"}},
		{"--data-dir " + filled + " backup " + filepath.Join(missing, "x.db"), 1, []string{missing}},
		{"--data-dir " + filled + " rates import " + missing, 1, []string{missing}},
		{"--data-dir " + filled + " rates import " + file("euro.json", `{"base":"EUR","rates":{"UAH":45},"updatedAt":"2024-05-01T00:00:00Z"}`), 1, []string{"euro.json", "USD"}},
		{"--data-dir " + filled + " rates import " + file("old.json", `{"base":"USD","rates":{"UAH":0},"updatedAt":"2024-05-01T00:00:00Z"}`), 1, []string{"old.json", "UAH"}},
		{"--data-dir " + filled + " rates import " + file("text.json", "nonsense"), 1, []string{"text.json"}},
		{"--data-dir " + filled + " rates import " + file("early.json", `{"base":"USD","rates":{"UAH":45},"updatedAt":"2236-05-01T00:00:00Z"}`), 1, []string{"early.json", "updatedAt", "2236", "ahead of the clock"}},
		{"--data-dir " + filled + " rates refresh --rates-from " + missing, 1, []string{missing}},
		{"--data-dir " + filled + " rates renew", 2, []string{"renew"}},
	} {
		if onServers() && (slices.Contains(c.says, none) || strings.Contains(c.args, "backup ") || strings.Contains(c.args, "--counters redis://")) {
			continue // about a database in a file
		}
		dir := filepath.Join(t.TempDir(), "data")
		if strings.HasPrefix(c.args, "--data-dir "+filled) {
			dir = filled
		}
		r := run(t, dir, "", strings.Fields(c.args)...)
		if r.status != c.status || !strings.HasPrefix(lastLine(r.stderr), "gamedex: ") && c.status == 2 {
			t.Errorf("gamedex %s: status %d, want %d: %s", c.args, r.status, c.status, r.stderr)
		}
		for _, want := range c.says {
			if !strings.Contains(withoutData(r.stderr), want) {
				t.Errorf("gamedex %s: does not say %q: %s", c.args, want, r.stderr)
			}
		}
		if strings.Contains(r.stderr, "secret") {
			t.Errorf("gamedex %s: prints the password: %s", c.args, r.stderr)
		}
		if _, err := os.Stat(dir); err == nil && strings.Contains(r.stderr, none) {
			t.Errorf("gamedex %s: made %s", c.args, dir)
		}
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func TestPrintedKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, "", "import", testFeed)
	plain := must(t, dir, "", "key", "create", "--name", "plain & simple")
	if !regexp.MustCompile(`(?m)^key: +gdx_[0-9A-Za-z]{36}$`).MatchString(plain) {
		t.Errorf("key create prints %q", plain)
	}
	printed := decoded[map[string]any](t, must(t, dir, "", "key", "create", "--json", "--name", "json", "--expires", "2099-01-01T00:00:00Z"))
	if names := slices.Sorted(maps.Keys(printed)); !slices.Equal(names, []string{"createdAt", "expiresAt", "key", "keyId", "name", "permissions"}) {
		t.Errorf("key create --json prints %q", names)
	}
	if printed["expiresAt"] != "2099-01-01T00:00:00.000Z" || printed["name"] != "json" {
		t.Errorf("key create --json prints %v", printed)
	}
	id := printed["keyId"].(string)
	for _, change := range []struct{ command, status string }{{"suspend", "suspended"}, {"resume", "active"}, {"revoke", "revoked"}} {
		if now := decoded[map[string]any](t, must(t, dir, "", "key", change.command, id, "--json")); now["status"] != change.status || now["key"] != nil {
			t.Errorf("key %s --json prints %v", change.command, now)
		}
	}
	table := must(t, dir, "", "key", "list")
	for _, want := range []string{id, "plain & simple", "revoked", "active", "2099-01-01T00:00:00.000Z", "read:catalog,read:account"} {
		if !strings.Contains(table, want) {
			t.Errorf("key list lacks %q:\n%s", want, table)
		}
	}
	if all := decoded[[]map[string]any](t, must(t, dir, "", "key", "list", "--json")); len(all) != 2 {
		t.Errorf("key list --json: %v", all)
	}
	if strings.Contains(table, "gdx_") {
		t.Error("key list prints tokens")
	}
}

// TestLastUseIsStored checks that key list shows when a key was last used.
func TestLastUseIsStored(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	id, token := newKey(t, s.dir)
	newUser(t, s.api, token).get("/account/me").want(200)
	s.stopInOrder()
	for line := range strings.Lines(must(t, s.dir, "", "key", "list")) {
		if strings.HasPrefix(line, id) && strings.HasSuffix(strings.TrimSpace(line), "-") {
			t.Errorf("a used key is listed as never used: %s", line)
		}
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	u := sharedClient(t)
	forge := starForge(u)
	dir := shared.open(t).dir
	for id, wants := range map[string][]string{
		forge:                                  {forge, "consolestore", "10000001", "the family name that most listings give", "EP0001-PPSA00001_00-STARFORGE0000001", "UP0001-PPSA00002_00-STARFORGEUSA0001", "IN PL TR UA"},
		strings.ToLower(forge):                 {forge},
		"star-forge":                           {"star-forge", "a1", "a4", "slug"},
		"UP0007-PPSA70001_00-FARAWAY000000001": {"US"},
		idOf(u, "Moon Farm"):                   {"no listing gives a family name"},
	} {
		out := must(t, dir, "", "explain", id)
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("explain %s lacks %q:\n%s", id, want, out)
			}
		}
	}
	for _, id := range u.get("/catalog/search?q=night+drive").texts("data.results", "id") {
		if out := must(t, dir, "", "explain", id); !strings.Contains(out, "parted by  platforms") {
			t.Errorf("explain %s does not say what divides it:\n%s", id, out)
		}
	}
}

func TestSmallCommands(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	if out := must(t, dir, "", "help", "key", "create"); !strings.HasPrefix(out, "Usage: gamedex key create --name") {
		t.Errorf("help key create prints %q", out)
	}
	if out := must(t, dir, "", "--version"); out != version+"\n" {
		t.Errorf("--version prints %q", out)
	}
	if out := must(t, dir, "", "version"); out != version+"\n" {
		t.Errorf("version prints %q", out)
	}
	if doc := decoded[map[string]any](t, must(t, dir, "", "openapi")); doc["openapi"] == nil {
		t.Error("openapi prints no OpenAPI document")
	}
	if out := must(t, dir, "", "licenses"); !strings.Contains(out, "Apache License") || !strings.Contains(out, "Unicode") {
		t.Errorf("licenses prints %.200q", out)
	}
	if out := must(t, dir, "", "man"); !strings.Contains(out, `\-\-public\-pages`) || !strings.Contains(out, "GAMEDEX_PUBLIC_PAGES") {
		t.Errorf("man prints %.200q", out)
	}
	for shell := range clidoc.Shells {
		if out := must(t, dir, "", "completion", shell); !strings.Contains(out, "key create") {
			t.Errorf("completion %s prints %.200q", shell, out)
		}
	}
	help := must(t, dir, "", "--help")
	for _, want := range []string{"serve", "import", "export", "key create", "rates import", "explain", "backup", "check", "openapi", "licenses", "\n    gamedex serve --demo\n"} {
		if !strings.Contains(help, want) {
			t.Errorf("--help lacks %q:\n%s", want, help)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a command that needs no data made the data folder")
	}
}

// TestFilesArePrivate checks that the data folder has mode 0700 and its
// files 0600.
func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	must(t, dir, "", "import", testFeed)
	server := start(t, dir)
	server.healthy()
	if !onServers() {
		must(t, dir, "", "backup", filepath.Join(dir, "copy.db"))
	}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDemoIsReady checks that serve --demo ends its output with a key and curl
// lines that work.
func TestDemoIsReady(t *testing.T) {
	t.Parallel()
	server := sharedDemo.open(t)
	line := regexp.MustCompile(`curl -H 'Authorization: Bearer (gdx_\w{36})' '(\S+?)/api/v1(\S+)'`)
	var found [][]string
	await.Progress(func() bool {
		found = line.FindAllStringSubmatch(server.stdout.String(), -1)
		return len(found) == 3
	}, func() any { return len(found) })
	if len(found) != 3 || found[0][2] != server.api {
		t.Fatalf("serve --demo prints\n%s", server.stdout)
	}
	u := newUser(t, server.api, found[0][1])
	for _, c := range found {
		u.get(c[3]).want(200)
	}
	u.get(found[1][3]).is("counts.notFound", "0").is("counts.resolved", "2")
	if !strings.HasSuffix(strings.TrimSpace(server.stdout.String()), strings.TrimSpace(found[2][0])) {
		t.Errorf("the curl lines are not last:\n%s", server.stdout)
	}
	platforms := u.get("/catalog/platforms").want(200)
	for i := range catalog.Platforms() {
		if n := len(platforms.at("data.platforms").([]any)[i].(map[string]any)["regions"].([]any)); n != 8 {
			t.Errorf("platform %d has %d regions, want 8", i, n)
		}
	}
}

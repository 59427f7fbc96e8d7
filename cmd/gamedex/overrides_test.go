package main

import (
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

// TestOverridesInTheDatabase imports overrides into a database on a server, where a
// running service sees them, and exports them. A bad file changes nothing.
func TestOverridesInTheDatabase(t *testing.T) {
	enginetest.Need(t, "postgres")
	t.Parallel()
	dir := t.TempDir()
	usePostgres(t, dir)
	must(t, dir, listing("consolestore", "UA", "P1", "2024-05-01T10:00:00Z", ""), "import", "-")
	file := filepath.Join(t.TempDir(), "rules.ndjson")
	imports := func(text string) result {
		t.Helper()
		writeFile(t, file, text)
		return run(t, dir, "", "overrides", "import", file)
	}
	s := start(t, dir, "--roles", "build")
	rules := "# mine\n" + `{"platform":"consolestore","product":"P1","edition":"Gold"}` + "\n" + `{"platform":"pcstore","product":"P2","edition":"Gold"}` + "\n"
	if r := imports(rules); r.status != 0 || r.stdout != "overrides of 2 products\n" {
		t.Fatalf("import: %+v", r)
	}
	const about = "an override matches no listing, check its platform and product: P2"
	s.readyzSays("ready", about)
	if out := must(t, dir, "", "check"); !strings.Contains(out, "overrides in the database: "+about) {
		t.Errorf("check prints %s", out)
	}
	if out := must(t, dir, "", "explain", "P1"); !strings.Contains(out, "given by an override") {
		t.Errorf("explain prints %s", out)
	}
	if r := imports(rules + "{}\n"); r.status != 1 || !strings.Contains(r.stderr, "overrides "+file+": line 4: platform: is missing; nothing was changed") {
		t.Errorf("a bad file: %+v", r)
	}
	if out := must(t, dir, "", "overrides", "export"); out != rules {
		t.Errorf("export prints %q, want %q", out, rules)
	}
}

func TestOverridesBesideAFile(t *testing.T) {
	fileOnly(t, "it has a file of corrections beside a database in a file")
	dir := t.TempDir()
	must(t, dir, "", "import", "testdata/feed.ndjson")
	file := filepath.Join(dir, "overrides.ndjson")
	for _, args := range [][]string{{"overrides", "import", "testdata/feed.ndjson"}, {"overrides", "export"}} {
		if r := run(t, dir, "", args...); r.status != 1 || !strings.Contains(r.stderr, "edit "+file) {
			t.Errorf("%v: %+v, want the file to edit", args, r)
		}
	}
	if r := run(t, dir, "", "collect", "profile", filledProfile(t)); r.status != 1 || !strings.Contains(r.stderr, "needs no registered profile") {
		t.Errorf("collect profile: %+v", r)
	}
}

// TestProfileOfAllCollectors checks that collectors of a database on a server have one
// profile, and that a command changes it.
func TestProfileOfAllCollectors(t *testing.T) {
	enginetest.Need(t, "postgres")
	t.Parallel()
	dir, profile := t.TempDir(), filledProfile(t)
	usePostgres(t, dir)
	must(t, dir, listing("consolestore", "UA", "P1", "2024-05-01T10:00:00Z", ""), "import", "-")
	collector := func(args ...string) []string {
		return append([]string{"serve", "--roles", "collect", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0", "--collect-profile", profile}, args...)
	}
	must(t, dir, "", "collect", "profile", profile)
	r := run(t, dir, "", collector("--collect-texts")...)
	if r.status != 1 || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "but consolestore is collected with ") || !strings.Contains(withoutData(r.stderr), "gamedex collect profile FILE") {
		t.Errorf("a collector with another profile: %+v", r)
	}
	if out := must(t, dir, "", "collect", "profile", "--collect-texts", profile); !strings.Contains(out, "[consolestore pcstore]: restart the collectors") {
		t.Errorf("collect profile prints %s", out)
	}
	r = run(t, dir, "", collector()...)
	if r.status != 1 || !strings.Contains(r.stderr, "but consolestore is collected with ") {
		t.Errorf("the former profile: %+v", r)
	}
}

// TestOverrideThatMatchesNothing checks that an operator learns of overrides without
// listings, and of a file that is not valid, where they look: readiness, check, explain.
func TestOverrideThatMatchesNothing(t *testing.T) {
	fileOnly(t, "the corrections are in the database, which takes none that are not valid")
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "overrides.ndjson")
	must(t, dir, listing("consolestore", "UA", "P1", "2024-05-01T10:00:00Z", ""), "import", "-")
	if out := must(t, dir, "", "check"); strings.Contains(out, "overrides") {
		t.Errorf("check without overrides printed %s", out)
	}
	writeFile(t, file, `{"platform":"consolestore","product":"P1","edition":"Gold"}`+"\n"+`{"platform":"pcstore","product":"P2","edition":"Gold"}`+"\n")
	s := start(t, dir)
	const about = "an override matches no listing, check its platform and product: P2"
	s.readyzSays("ready", about)
	if out := must(t, dir, "", "check"); !strings.Contains(out, "overrides "+file+": "+about) {
		t.Errorf("check printed %s", out)
	}
	if r := run(t, dir, "", "explain", "P2"); r.status != 1 || !strings.Contains(r.stderr, "the override of this product matches no listing") {
		t.Errorf("explain: %+v", r)
	}
	writeFile(t, file, `{"platform":"consolestore","product":"P1","edition":"Gold"}`+"\n")
	await.That(t, "the warning to go", func() bool {
		_, body := fetch(t, "GET", s.ops+"/readyz")
		return strings.HasPrefix(body, "ready") && !strings.Contains(body, "overrid")
	})
	if out := must(t, dir, "", "check"); !strings.Contains(out, "overrides "+file+": good") {
		t.Errorf("check printed %s", out)
	}
	writeFile(t, file, "nonsense\n")
	s.readyzSays("ready", "overrides are not valid; the last valid ones stay in force: overrides "+file+": line 1: is not a JSON object")
	if out := must(t, dir, "", "check"); !strings.Contains(out, "line 1: is not a JSON object") {
		t.Errorf("check printed %s", out)
	}
}

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/testing/await"
)

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

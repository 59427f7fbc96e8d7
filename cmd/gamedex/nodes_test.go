package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// nodesShown is the answer of gamedex nodes --json.
type nodesShown struct {
	Nodes []struct {
		Name     string
		Roles    []string
		Manifest int64
		Live     bool
	}
	Warnings []string
}

// TestNodes checks that two processes of one database see each other, that their
// disagreement is shown everywhere, and that a process which stops is no longer listed.
func TestNodes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() // not a copied database, which may list the node of the original
	start(t, dir, "--roles", "api", "--node-name", "first")
	other := start(t, dir, "--roles", "build", "--node-name", "second", "--active-regions", "PL")
	var shown nodesShown
	look := func(good func() bool) {
		t.Helper()
		if !await(func() bool {
			shown = nodesShown{}
			if err := json.Unmarshal([]byte(must(t, dir, "", "nodes", "--json")), &shown); err != nil {
				t.Fatal(err)
			}
			return good()
		}, nothing) {
			t.Fatalf("gamedex nodes shows %+v", shown)
		}
	}
	look(func() bool { return len(shown.Nodes) == 2 && len(shown.Warnings) == 1 })
	first, second := shown.Nodes[0], shown.Nodes[1]
	if first.Name != "first" || !slices.Equal(first.Roles, []string{"api"}) || !first.Live || second.Name != "second" {
		t.Errorf("gamedex nodes shows %+v", shown)
	}
	if want := "--active-regions: first / second"; !strings.Contains(shown.Warnings[0], want) {
		t.Errorf("the warnings are %q", shown.Warnings)
	}
	if table := must(t, dir, "", "nodes"); !strings.Contains(table, shown.Warnings[0]) || strings.Count(table, "live\n") != 2 {
		t.Errorf("gamedex nodes prints\n%s", table)
	}
	var metrics string
	if !await(func() bool {
		_, metrics = fetch(t, "GET", other.ops+"/metrics")
		return hasLine(metrics, "gamedex_settings_disagreements 1")
	}, nothing) || !hasLine(metrics, `gamedex_nodes{role="api"} 1`) || !hasLine(metrics, `gamedex_nodes{role="build"} 1`) {
		t.Errorf("the metrics are\n%s", metrics)
	}
	if _, ready := fetch(t, "GET", other.ops+"/readyz"); !strings.Contains(ready, shown.Warnings[0]) {
		t.Errorf("/readyz says %q", ready)
	}
	other.logs(`different values of settings that should be the same" settings="--active-regions: first / second"`)
	other.stop()
	look(func() bool { return len(shown.Nodes) == 1 && len(shown.Warnings) == 0 })
}

func TestNodeName(t *testing.T) {
	r := run(t, t.TempDir(), "", "serve", "--node-name", strings.Repeat("x", 101))
	if r.status != 1 || !strings.Contains(r.stderr, "--node-name: ") || !strings.Contains(r.stderr, "at most 100 bytes of printable text") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
}

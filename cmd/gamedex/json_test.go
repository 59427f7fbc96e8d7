package main

import (
	"encoding/json"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/collect"
	"gamedex/internal/sweep"
)

// jsonExamples are what doc/config.md shows of --json, by the command.
var jsonExamples = map[string]any{
	"gamedex check": checkReport{Found: []finding{
		{"database", "gamedex.db", "good", ""}, {"snapshot", "41", "damaged", "read manifest: checksum is wrong"},
	}},
	"gamedex explain": showExplained([]merge.Explained{{
		ID: "star-forge", Platform: catalog.PCStore, Class: catalog.GameClass, Family: "star-forge", Served: true, Text: "star-forge (pcstore, …",
		Products: []merge.ExplainedProduct{{ID: "star-forge/base", FirstSeen: exampleTime, Regions: []string{"DE", "US"}}},
	}}),
	"gamedex collect plan": showPlan(true, []collect.Planned{{
		State: sweep.State{Scope: sweep.Scope{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("TR"), Kind: sweep.Prices}, Completed: exampleTime, Pending: 120, LastError: "the store answers 503"},
		At:    exampleTime + 3_600_000, Why: "failed once: swept 1h ago, every 1h",
	}}),
}

const exampleTime catalog.Millis = 1_795_143_600_000 // 2026-11-20T03:00:00Z

// decodedAs decodes what a command printed, which must be one object of the type of its
// example without further members.
func decodedAs[T any](t *testing.T, command, out string) (got T) {
	t.Helper()
	if _, ok := jsonExamples[command].(T); !ok {
		t.Fatalf("doc/config.md shows %T of %s", jsonExamples[command], command)
	}
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil || d.More() {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
	return got
}

// TestJSONOfMaintenance checks explain and check.
func TestJSONOfMaintenance(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, `{"platform":"pcstore","region":"TR","product":"p","slug":"star-forge","title":"Star","observedAt":"2026-05-04T10:00:00Z"}
{"platform":"pcstore","region":"UA","product":"p","slug":"star-forge","title":"Star","observedAt":"2026-05-03T10:00:00Z"}
{"platform":"pcstore","region":"UA","product":"p","withdrawn":true,"observedAt":"2026-05-05T10:00:00Z"}`, "import", "-")
	text := must(t, dir, "", "explain", "p")
	cards := decodedAs[explainedShown](t, "gamedex explain", must(t, dir, "", "explain", "--json", "p")).Cards
	if len(cards) != 1 || cards[0].ID != "star-forge" || cards[0].Platform != "pcstore" || cards[0].Class != "games" || !cards[0].Served || cards[0].Text != text {
		t.Fatalf("explain: %+v", cards)
	}
	p := cards[0].Products
	if len(p) != 1 || p[0].SKU != "p" || p[0].FirstSeenAt != "2026-05-03T10:00:00.000Z" || strings.Join(p[0].Regions, " ") != "TR" || strings.Join(p[0].Withdrawn, " ") != "UA" {
		t.Errorf("explain: %+v", p)
	}
	writeFile(t, dir+"/overrides.ndjson", "{}")
	report := decodedAs[checkReport](t, "gamedex check", must(t, dir, "", "check", "--json"))
	if f := report.Found; !report.Good || len(f) != 2 || f[0].Part != "database" || f[0].Status != "good" || f[1].Part != "overrides" || f[1].Status != "warning" || !strings.HasPrefix(f[1].Text, "line 1: ") {
		t.Errorf("check: %+v", report)
	}
}

package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/collect"
	"gamedex/internal/feed/importer"
	"gamedex/internal/sweep"
)

// jsonExamples are what doc/config.md shows of --json, by the command.
var jsonExamples = map[string]any{
	"gamedex import": (&importCommand{CSV: true}).showImport(importer.Summary{
		Read: 4, Saved: catalog.SaveCounts{New: 2, Changed: 1}, Rejected: 1, Unknown: map[string]int{"vat": 4},
		Notes: []importer.Note{{Input: "games.csv", Text: `column "Game" is read as title`}},
		First: []catalog.Listing{{Key: catalog.Key{Region: catalog.MustRegion("DE")}, Facts: catalog.Facts{Title: "Star Forge"},
			Price: &catalog.Price{Currency: "EUR", Base: 3999, Current: 2999}}},
	}, ""),
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

// TestJSONOfImport checks that import --json prints its summary and nothing else.
func TestJSONOfImport(t *testing.T) {
	t.Parallel()
	const good = `{"platform":"pcstore","region":"TR","product":"p","slug":"star","title":"A&amp;B","vat":1,"observedAt":"2026-05-04T10:00:00Z"}` + "\n"
	r := run(t, t.TempDir(), good+strings.Replace(good, "A&amp;B", "C", 1)+strings.Replace(good, "TR", "BR", 1)+"{}\n", "import", "--json", "-")
	got := decodedAs[importShown](t, "gamedex import", r.stdout)
	if got.Regions == nil || !strings.Contains(*got.Regions, "sold only in BR") || r.status != 1 || !strings.Contains(r.stderr, "platform: is required") {
		t.Errorf("%+v, printed %+v", got, r)
	}
	got.Regions = nil
	want := importShown{Read: 4, Stored: 2, New: 2, Rejected: 1, Repeated: 1, Decoded: 2, Unknown: map[string]int{"vat": 3}, Notes: []noteShown{}, Understood: []string{}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestJSONOfDryRun checks what a table is understood as.
func TestJSONOfDryRun(t *testing.T) {
	t.Parallel()
	out := must(t, t.TempDir(), "platform,region,Game,price,fullPrice\npcstore,DE,Star,\"29,99\",\"39,99\"\n", "import", "--csv", "--json", "--dry-run", "-")
	got := decodedAs[importShown](t, "gamedex import", out)
	if !got.DryRun || got.Read != 1 || got.Stored != 0 || len(got.Notes) != 3 || !strings.HasSuffix(got.Notes[1].Text, ", the time of the import") || got.Regions != nil || !slices.Equal(got.Understood, []string{"Star, Germany: 29.99 EUR, was 39.99"}) {
		t.Errorf("%+v", got)
	}
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
	if enginesOf(t, dir).database != "" { // a server's database has the overrides, not a file
		if f := report.Found; !report.Good || len(f) != 1 || f[0].Part != "database" {
			t.Errorf("check: %+v", report)
		}
		return
	}
	if f := report.Found; !report.Good || len(f) != 2 || f[0].Part != "database" || f[0].Status != "good" || f[1].Part != "overrides" || f[1].Status != "warning" || !strings.HasPrefix(f[1].Text, "line 1: ") {
		t.Errorf("check: %+v", report)
	}
}

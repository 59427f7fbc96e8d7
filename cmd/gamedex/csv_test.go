package main

import (
	"strings"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/demo"
	"gamedex/internal/feed"
)

// TestExportedTableChangesNothing checks that an exported table changes nothing where it
// comes from, and that an empty installation has the same listings after its import.
func TestExportedTableChangesNothing(t *testing.T) {
	t.Parallel()
	dir, to := t.TempDir(), t.TempDir()
	const risky = `"title":"=SUM(A1) \"x\"; 'y'","description":"-1\r\n, \n\t|; ","genres":["RPG; Action","a|b"," c"],"publisher":"'@here'","developer":"+1 "`
	must(t, dir, strings.Join([]string{
		`{"platform":"consolestore","region":"TR","product":"P1","family":"0012",` + risky + `,"titles":{"ru":"=Кузница","en-GB":"Forge"},"images":{"screenshots":["https://a.example/1,2"]},` +
			`"price":{"currency":"TRY","base":4000,"current":1000,"currentText":"10,00 TL","trial":true,"discountEndsAt":"2026-12-01T22:59:00.5Z"},"popularity":1e21,"observedAt":"2026-11-20T03:00:00.123Z"}`,
		`{"platform":"consolestore","region":"TR","product":"P1","family":"0013",` + risky + `,"price":{"currentText":"=free"},"observedAt":"2026-11-20T04:00:00Z"}`,
		`{"platform":"consolestore","region":"UA","product":"P1","family":"0012",` + risky + `,"observedAt":"2026-11-20T04:00:00Z"}`,
		`{"platform":"pcstore","region":"JP","product":"-p/base","slug":"p",` + risky + `,"type":"base","demo":true,"rating":{"age":"18","system":"CERO"},"price":{"currency":"JPY","current":0},"observedAt":"2026-11-20T03:00:00Z"}`,
		`{"platform":"pcstore","region":"JP","product":"-p/base","withdrawn":true,"observedAt":"2026-11-20T05:00:00Z"}`,
		`{"platform":"pcstore","region":"PL","product":"q","withdrawn":true,"observedAt":"2026-11-20T05:00:00Z"}`,
	}, "\n"), "import", "-")
	samples, err := demo.New()
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	w := feed.NewWriter(&lines)
	for l := range samples.Listings("https://demo.example", catalog.MillisOf(time.Now())) {
		if err := w.Write(&l); err != nil {
			t.Fatal(err)
		}
	}
	must(t, dir, lines.String(), "import", "-")
	listings := must(t, dir, "", "export")
	table := must(t, dir, "", "export", "--csv")
	want, _, _ := strings.Cut(must(t, dir, listings, "import", "-"), "\n")
	if got := must(t, dir, table, "import", "--csv", "-"); !strings.HasPrefix(got, want+"\n") || !strings.Contains(got, "stored 0 (0 new, 0 changed), unchanged") {
		t.Errorf("import --csv of export --csv printed %s\nimport of export printed %s", got, want)
	}
	if again := must(t, dir, "", "export"); again != listings {
		t.Errorf("the listings changed from\n%s\nto\n%s", listings, again)
	}
	must(t, to, table, "import", "--csv", "--strict", "-")
	if got := must(t, to, "", "export"); got != listings {
		t.Errorf("another installation has\n%s\nwant\n%s", got, listings)
	}
	if part := must(t, dir, "", "export", "--csv", "--region", "PL", "--platform", "pcstore"); !strings.Contains(part, "\npcstore,PL,q,") || strings.Contains(part, ",JP,") {
		t.Errorf("of one region: %s", part)
	}
}

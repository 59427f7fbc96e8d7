package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestHistoryMoves checks that export and history export move an installation whole, and
// that a second import adds nothing.
func TestHistoryMoves(t *testing.T) {
	t.Parallel()
	from, to, files := t.TempDir(), t.TempDir(), t.TempDir()
	k := newStock(5, "UA", "TR")
	for version := range 4 {
		must(t, from, k.feed(version), "import", "-")
	}
	listings, past := must(t, from, "", "export"), must(t, from, "", "history", "export")
	if n := strings.Count(past, "\n"); n != 10 || strings.Count(past, `"state":"priced"`) != 40 {
		t.Fatalf("the history has %d lines, want 10 with 4 prices each:\n%s", n, past)
	}
	file := filepath.Join(files, "history.ndjson")
	writeFile(t, file, past)
	must(t, to, "", "migrate")
	if r := run(t, to, "", "history", "import", file); r.status != 1 || !strings.Contains(r.stderr, "lines of listings that are not in the database: 10; to add their history, import the listings first") {
		t.Errorf("without the listings: %+v", r)
	}
	must(t, to, listings, "import", "-")
	if out := must(t, to, "", "history", "import", file); !strings.HasPrefix(out, "read 10, added 30 steps, left out 10 that") {
		t.Errorf("import: %s", out)
	}
	if again := must(t, to, "", "history", "export"); again != past {
		t.Errorf("the copy has another history:\n%s\nwant\n%s", again, past)
	}
	if again := must(t, to, "", "export"); again != listings {
		t.Errorf("the copy has other listings:\n%s\nwant\n%s", again, listings)
	}
	if out := must(t, to, past, "history", "import", "-"); !strings.HasPrefix(out, "read 10, added 0 steps, left out 40 that") {
		t.Errorf("second import: %s", out)
	}
	if out := must(t, to, "", "history", "export", "--region", "TR", "--platform", "pcstore"); strings.Count(out, "\n") > 5 || strings.Contains(out, `"region":"UA"`) {
		t.Errorf("of one region: %s", out)
	}
	if r := run(t, to, past+"{}\n", "history", "import", "-"); r.status != 1 || !strings.Contains(r.stderr, "line 11") {
		t.Errorf("a line that is wrong: %+v", r)
	}
}

// TestHistoryOfEndedCurrencies imports prices of the years before a country took the euro:
// listings, past prices and the rates of those days.
func TestHistoryOfEndedCurrencies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ region, code, at string }{{"BG", "BGN", "2025-10-05"}, {"HR", "HRK", "2022-10-05"}, {"LT", "LTL", "2014-10-05"}, {"LV", "LVL", "2013-10-05"}} {
		dir, to := t.TempDir(), t.TempDir()
		line := func(currency, at string) string {
			return `{"platform":"pcstore","region":"` + c.region + `","product":"p/base","slug":"p","title":"P","type":"base","price":{"currency":"` + currency +
				`","base":2000,"current":2000},"observedAt":"` + at + `T12:00:00Z"}` + "\n"
		}
		euro := line("EUR", "2026-02-20")
		must(t, dir, line(c.code, c.at)+euro, "import", "-")
		past := must(t, dir, "", "history", "export")
		if strings.Count(past, `"state":"priced"`) != 2 || !strings.Contains(past, `"currency":"`+c.code+`"`) || !strings.Contains(past, `"currency":"EUR"`) {
			t.Errorf("%s: past prices are %s", c.region, past)
		}
		rates := `{"day":"` + c.at + `","rates":{"base":"EUR","rates":{"` + c.code + `":2,"USD":1.1},"updatedAt":"` + c.at + `T15:00:00Z"}}` + "\n"
		must(t, to, euro, "import", "-")
		if out := must(t, to, rates+past, "history", "import", "-"); !strings.Contains(out, "added 1 steps") || !strings.Contains(out, "days with exchange rates: 1 added") {
			t.Errorf("%s: history import printed %s", c.region, out)
		}
		bad := `{"day":"2026-11-01","rates":{"base":"EUR","rates":{"` + c.code + `":2,"USD":1.1},"updatedAt":"2026-11-01T15:00:00Z"}}` + "\n"
		if r := run(t, to, bad, "history", "import", "-"); r.status != 0 || !strings.HasPrefix(r.stderr, `warning: -: line 1: rates: skipped: "`+c.code+`" (`) {
			t.Errorf("%s: history import: %+v", c.region, r)
		}
		if out := must(t, to, "", "history", "export"); !strings.HasSuffix(out, past) || !strings.Contains(out, `"`+c.code+`":2,`) {
			t.Errorf("%s: exported %s, want it to end with %s", c.region, out, past)
		}
		if r := run(t, dir, line(c.code, "2026-02-21"), "import", "-"); r.status != 1 || !strings.Contains(r.stderr, `"`+c.code+`" is not an ISO 4217 code in use at observedAt`) {
			t.Errorf("%s: %+v", c.region, r)
		}
	}
}

package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestRepeatedErrorIsSaidOnce checks that import prints a mistake of many lines once,
// with their number, and a bounded number of different mistakes.
func TestRepeatedErrorIsSaidOnce(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	lines.WriteString(listing("consolestore", "UA", "good", "2024-05-01T10:00:00Z", ""))
	for i := range 1300 {
		at, price := "2024-05-01T10:00:00Z", fmt.Sprintf(`"price":{"currency":"UAH","base":%d,"current":%d}`, i, i+1)
		switch {
		case i == 700:
			at = "yesterday"
		case i%100 == 7:
			price = `"type":"toy"`
		}
		lines.WriteString(listing("consolestore", "UA", fmt.Sprint("P", i), at, price))
	}
	dir := t.TempDir()
	r := run(t, dir, lines.String(), "import", "-")
	want := `-: line 2: price.current: 1 is above base 0; and 1,285 more lines like it: 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, …
-: line 9: type: "toy" is not one of game, dlc, edition, bundle, season-pass, subscription, base; and 12 more lines like it: 109, 209, 309, 409, 509, 609, 709, 809, 909, 1009, …
-: line 702: observedAt: "yesterday" is not an RFC 3339 time such as 2026-11-20T03:00:00Z
`
	if r.status != 1 || !strings.HasSuffix(r.stderr, want) || strings.Count(r.stderr, "-: line") != 3 || !strings.Contains(r.stdout, "rejected 1300,") {
		t.Errorf("import printed\n%s%s\nwant\n%s", r.stdout, r.stderr, want)
	}

	lines.Reset()
	for i := range 1300 { // a kind each
		lines.WriteString(listing("consolestore", "UA", "P", "2024-05-01T10:00:00Z", fmt.Sprintf(`"titles":{"%c%c":1}`, 'a'+i/26%26, 'a'+i%26)))
	}
	r = run(t, dir, lines.String(), "import", "--strict", "-")
	if n := strings.Count(r.stderr, "\n"); n != 200+2 || !strings.Contains(r.stderr, "further lines, not shown: 900") {
		t.Errorf("%d lines:\n%.2000s", n, r.stderr)
	}
}

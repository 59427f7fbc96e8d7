package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestImportWarnsOfPrices checks that import stores prices that contradict their texts as
// doubtful, leaves out those that are none, and names both, also in tables.
func TestImportWarnsOfPrices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const table = `platform,region,product,slug,title,currency,current,currentText,observedAt
pcstore,TR,a,a,A,TRY,101,"1.012,00 TL",2026-11-20
pcstore,JP,a,a,A,JPY,7980,"￥7,980",2026-11-20
pcstore,US,a,a,A,USD,0,Sold out,2026-11-20
pcstore,US,b,b,B,USD,0,Coming soon,2026-11-20
pcstore,US,c,c,C,USD,0,Free,2026-11-20
`
	r := run(t, dir, table, "import", "--csv", "-")
	if r.status != 0 || strings.Count(r.stderr, "warning: ") != 2 || !strings.Contains(r.stderr, `: line 2: current: 101 and the text "1.012,00 TL" contradict each other, so the price is doubtful; and 1 more line like it: 3`) ||
		!strings.Contains(r.stderr, `: line 4: currentText: "Sold out" is no price`) || !strings.Contains(r.stderr, "; and 1 more line like it: 5\n") {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
	if !strings.HasPrefix(r.stdout, "read 5, stored 5 (5 new, 0 changed), unchanged 0, older 0, rejected 0") {
		t.Error(r.stdout)
	}
	out := must(t, dir, "", "export")
	if strings.Count(out, `"source":"doubtful"`) != 2 || strings.Count(out, `"price":`) != 3 {
		t.Error(out)
	}
	if r := run(t, dir, table, "import", "--csv", "-"); !strings.Contains(r.stdout, "stored 0 (0 new, 0 changed), unchanged 5") {
		t.Error(r.stdout)
	}
	if r := run(t, dir, out, "import", "-"); !strings.Contains(r.stdout, "stored 0 (0 new, 0 changed), unchanged 5") || strings.Contains(r.stderr, "warning: ") {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
}

// TestImportWarnsOfRepeats checks that two editions with one product id are reported, in
// tables as well, and that importing the file again changes nothing.
func TestImportWarnsOfRepeats(t *testing.T) {
	t.Parallel()
	const table = `platform,region,product,slug,title,currency,current,observedAt
pcstore,TR,a,a,A Standard Edition,TRY,1500,2026-11-20
pcstore,TR,a,a,A Gold Edition,TRY,9999,2026-11-20
pcstore,DE,a,a,A Gold Edition,EUR,4999,2026-11-20
pcstore,TR,a,a,A,TRY,0,2026-11-20
`
	dir := t.TempDir()
	for _, want := range []string{"stored 2 (2 new, 0 changed), unchanged 0", "stored 0 (0 new, 0 changed), unchanged 2"} {
		r := run(t, dir, table, "import", "--csv", "--strict", "-")
		if r.status != 0 || !strings.HasSuffix(r.stderr, "warning: -: 2 lines repeat the key and time of an earlier line and were not stored; first: lines 2 and 3\n") {
			t.Errorf("status %d, %s", r.status, r.stderr)
		}
		if !strings.HasPrefix(r.stdout, "read 4, "+want+", older 0, rejected 0, repeated 2, withdrawn 0\n") {
			t.Error(r.stdout)
		}
	}
	if out := must(t, dir, "", "export"); !strings.Contains(out, "A Standard Edition") || strings.Count(out, "\n") != 2 {
		t.Error(out)
	}
}

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

// TestTableWithoutNames imports what a table of a person has: HTML entities are decoded and
// counted, equal titles are one card, and check counts the cards that stay alone.
func TestTableWithoutNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	table := `platform,region,product,family,title,currency,base,current,observedAt
consolestore,PL,EP1,1,Salt &amp; Iron™,PLN,9900,9900,2026-11-20
consolestore,TR,EP2,1,SALT & IRON PS4 & PS5,TRY,9900,9900,2026-11-20
consolestore,IN,UP3,1,Salt &#38; Iron,INR,9900,9900,2026-11-20
consolestore,PL,EP4,2,Księżycowa Farma,PLN,9900,9900,2026-11-20
consolestore,TR,EP5,2,Moon Farm,TRY,9900,9900,2026-11-20
`
	if out := must(t, dir, table, "import", "--csv", "-"); !strings.Contains(out, "decoded in titles and names, lines: 2\n") {
		t.Errorf("import prints %s", out)
	}
	if out := must(t, dir, "", "explain", "EP1"); !strings.Contains(out, "EP2") || !strings.Contains(out, "UP3") || !strings.Contains(out, `"salt iron"`) {
		t.Errorf("explain prints %s", out)
	}
	out := must(t, dir, "", "check")
	if !strings.Contains(out, "listings: cards in a single region whose family has cards in other regions: 2 (") || !strings.Contains(out, "the same invariantName") {
		t.Errorf("check prints %s", out)
	}
}

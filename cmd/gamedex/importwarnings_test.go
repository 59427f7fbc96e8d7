package main

import (
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

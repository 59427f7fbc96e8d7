package main

import (
	"strings"
	"testing"
)

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

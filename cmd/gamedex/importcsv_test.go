package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// documented returns the first block of doc/feed.md that begins with an opening.
func documented(t *testing.T, opening string) string {
	t.Helper()
	_, rest, there := strings.Cut(read(t, "../../doc/feed.md"), opening+"\n")
	block, _, ended := strings.Cut(rest, "```\n")
	if !there || !ended {
		t.Fatalf("doc/feed.md has no block %s", opening)
	}
	return block
}

// TestTableOfTheDocument imports the table of doc/feed.md as the document says, and
// checks what it says of the cards.
func TestTableOfTheDocument(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	games := filepath.Join(t.TempDir(), "games.csv")
	writeFile(t, games, documented(t, "```csv"))
	says := documented(t, "```\n$ gamedex import --csv games.csv")
	counts, serve, _ := strings.Cut(says, "\n$ gamedex serve ")
	out := must(t, dir, "", "import", "--csv", games)
	if !strings.HasPrefix(out, counts+"\n") {
		t.Errorf("import --csv printed %q, want %q", out, counts)
	}
	_, token := newKey(t, dir, highLimits...)
	u := newUser(t, start(t, dir, strings.Fields(serve)...).api, token)
	u.eventually("/health", func(a answer) bool { return a.status == 200 })
	card := u.get("/catalog/pcstore/games/star-voyage").want(200)
	prices := u.get("/catalog/prices?regions=all&include=editions&ids=star-voyage,lantern-keeper").want(200)
	for _, part := range []string{
		`"USA":{"alpha2":"US","currency":"USD","base":4999,"current":3749,`, `"DEU":{"alpha2":"DE","currency":"EUR","base":4999,"current":3749,`,
		`"POL":{"alpha2":"PL","currency":"PLN","base":19900,"current":19900,`, `"JPN":{"alpha2":"JP","currency":"JPY","base":580000,"current":580000,`,
		`"edition":"Deluxe Edition","type":"edition","currency":"USD","base":6999,`, `"discountEndAt":"2027-01-05T18:00:00.000Z"`,
		`"USA":{"alpha2":"US","currency":"USD","base":1999,"current":1999,`, `"DEU":{"alpha2":"DE","currency":"EUR","base":null,"current":null,`,
	} {
		if !strings.Contains(string(prices.body), part) {
			t.Errorf("the prices lack %s: %.3000s", part, prices.body)
		}
	}
	for _, part := range []string{`"Star Voyage"`, `"Action"`, `"RPG"`, "2026-03-12"} {
		if !strings.Contains(string(card.body), part) {
			t.Errorf("the card lacks %s: %s", part, card.body)
		}
	}
	exported := must(t, dir, "", "export")
	for name, input := range map[string]string{"semicolons": read(t, games), "Excel": "\ufeff" + strings.ReplaceAll(read(t, games), "\n", "\r\n"), "packed": gzipped(t, read(t, games))} {
		other := t.TempDir()
		must(t, other, input, "import", "--csv", "--strict", "--complete", "pcstore:US", "-")
		if got := must(t, other, "", "export"); got != exported {
			t.Errorf("%s: other listings:\n%s", name, got)
		}
	}
}

// TestTableErrors checks what an operator reads of a table that is wrong, and of a
// table that was taken for NDJSON.
func TestTableErrors(t *testing.T) {
	t.Parallel()
	games := filepath.Join(t.TempDir(), "games.csv")
	writeFile(t, games, "platform,region,product,title,observedAt,vat,currency,current\n"+
		"consolestore,TR,P1,Star,2026-11-20,20,TRY,19.99\nconsolestore,TR,P2,Moon,2026-11-20,20,TRY,1999\n")
	r := run(t, t.TempDir(), "", "import", "--csv", games)
	if r.status != 1 || !strings.Contains(r.stdout, "read 2, stored 1 ") || !strings.Contains(r.stdout, `unknown column "vat" ignored, lines: 2`) ||
		!strings.Contains(r.stderr, "games.csv: line 2: current: 19.99 must be whole hundredths: 1999") {
		t.Errorf("%+v", r)
	}
	r = run(t, t.TempDir(), "", "import", games)
	if r.status != 1 || !strings.Contains(withoutData(r.stderr), "gamedex import --csv") {
		t.Errorf("a table without --csv: %+v", r)
	}
	r = run(t, t.TempDir(), "games,cost\nStar,1\n", "import", "--csv", "-")
	if r.status != 1 || !strings.Contains(r.stderr, "it lacks platform, region, title: add them, or give --platform and --region and --columns HEADER=title") {
		t.Errorf("a table without the columns: %+v", r)
	}
}

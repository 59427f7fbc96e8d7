package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/demo"
	"gamedex/internal/feed"
)

// documented returns the first block of a page in doc that begins with an opening.
func documented(t *testing.T, page, opening string) string {
	t.Helper()
	_, rest, there := strings.Cut(read(t, "../../doc/"+page), opening+"\n")
	block, _, ended := strings.Cut(rest, "```\n")
	if !there || !ended {
		t.Fatalf("doc/%s has no block %s", page, opening)
	}
	return block
}

// TestTableOfTheDocument imports the table of doc/feed.md as the document says, and
// checks what it says of the cards.
func TestTableOfTheDocument(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	games := filepath.Join(t.TempDir(), "games.csv")
	writeFile(t, games, documented(t, "feed.md", "```csv"))
	says := documented(t, "feed.md", "```\n$ gamedex import --csv games.csv")
	counts, serve, _ := strings.Cut(says, "\n$ gamedex serve ")
	out := must(t, dir, "", "import", "--csv", games)
	if !strings.HasPrefix(out, counts+"\n") {
		t.Errorf("import --csv printed %q, want %q", out, counts)
	}
	_, token := newKey(t, dir, highLimits...)
	u := start(t, dir, strings.Fields(serve)...).client(token)
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

// TestTableOfAPerson imports a table without ids, times and platform: first as a dry run,
// then really, and again with an older time.
func TestTableOfAPerson(t *testing.T) {
	t.Parallel()
	dir, folder := filepath.Join(t.TempDir(), "data"), t.TempDir()
	games := filepath.Join(folder, "games.csv")
	writeFile(t, games, "\ufeffGame;Country;Price;Was;Until;Note\r\nThe Witcher 3;Germany;29,99 €;39,99 €;2026-12-01;x\r\n"+
		"The Witcher 3;UK;£25.50;;;\r\nHades;Germany;1.049,99;;;\r\nHades;Narnia;5;;;\r\nCeleste\x1b[1m;Germany;;;;\r\n")
	at := time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)
	if err := os.Chtimes(games, at, at); err != nil {
		t.Fatal(err)
	}
	rows := []string{"The Witcher 3, Germany: 29.99 EUR, was 39.99", "The Witcher 3, United Kingdom: 25.50 GBP", "Hades, Germany: 1049.99 EUR"}
	about := games + ": column \"Game\" is read as title\n" + games + ": column \"Country\" is read as region\n" + games + ": column \"Was\" is read as fullPrice\n" +
		games + ": no column observedAt: it is 2024-05-01T10:00:00Z, when the file was last changed\n" + games + ": no column product: the ids come from the titles\n" +
		games + ": prices have both decimal marks (line 3 has \"£25.50\", line 2 has \"29,99 €\"), so each cell is read separately\n" +
		`unknown column "Note" ignored, lines: 1` + "\n" + strings.Join(rows, "\n") + "\n"
	const narnia = `line 5: Country: "Narnia" is not a country: write its code (DE, DEU) or its English name (Germany)`
	r := run(t, dir, "", "import", "--csv", "--platform", "pcstore", "--dry-run", games)
	if want := "dry run, nothing is stored: read 5, rejected 1\n" + about + "Celeste?[1m, Germany: no price\n"; r.status != 1 || r.stdout != want || !strings.Contains(r.stderr, narnia) {
		t.Errorf("dry run: %+v, want\n%s", r, want)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the dry run made a data folder")
	}
	r = run(t, dir, "", "import", "--csv", "--platform", "pcstore", games)
	if want := "read 5, stored 4 (4 new, 0 changed), unchanged 0, older 0, rejected 1, withdrawn 0\n" + about; r.status != 1 || !strings.HasPrefix(r.stdout, want) || !strings.Contains(r.stderr, narnia) {
		t.Errorf("import: %+v, want\n%s", r, want)
	}
	if out := must(t, dir, "", "export", "--region", "germany"); !strings.Contains(out, `"product":"the-witcher-3"`) || !strings.Contains(out, `"discountEndsAt":"2026-12-01T23:59:59.999Z"`) {
		t.Errorf("exported %s", out)
	}
	r = run(t, dir, "title,region,price,observedAt\nThe Witcher 3,DE,5,2024-05-01\nHades,DE,6,2024-05-01\nHades,GB,7,2024-05-01\n", "import", "--csv", "--platform", "pcstore", "-")
	const why = "older: observed before the stored listing was last seen, so it is not replaced; to replace it, raise observedAt"
	const older = "warning: -: line 2: observedAt: 2024-05-01T00:00:00Z is before 2024-05-01T10:00:00Z, when the stored listing was last seen, so the row is not stored; and 1 more line like it: 3\n"
	if r.status != 0 || !strings.Contains(r.stdout, "older 2, rejected 0, withdrawn 0\n"+why+"\n") || !strings.Contains(r.stderr, older) {
		t.Errorf("older rows: %+v", r)
	}
}

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

package main

import (
	"database/sql"
	"encoding/csv"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTableOfPastPrices checks history export --csv, and asks it what doc/operations asks.
func TestTableOfPastPrices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	line := func(platform, region, product, price, at string) string {
		return fmt.Sprintf(`{"platform":"%s","region":"%s","product":"%s","slug":"star-forge","title":"=Star, \"Forge\"","type":"game","price":{%s},"observedAt":"%s"}`+"\n", platform, region, product, price, at)
	}
	rates := func(day, rate string) string {
		return `{"day":"` + day + `","rates":{"base":"EUR","rates":{"USD":` + rate + `},"updatedAt":"` + day + `T15:00:00Z"}}` + "\n"
	}
	const full = `"currency":"EUR","base":4001,"current":4001`
	must(t, dir, line("pcstore", "DE", "p", full, "2026-01-05T10:00:00Z")+
		line("pcstore", "DE", "p", `"currency":"EUR","base":4001,"current":2001,"discountEndsAt":"2026-03-15T00:00:00Z"`, "2026-03-01T10:00:00Z")+
		line("pcstore", "DE", "p", full, "2026-04-01T10:00:00Z")+
		line("pcstore", "US", "p", `"currency":"USD","base":1999,"current":1999`, "2026-05-01T10:00:00.5Z")+
		line("pcstore", "PL", "p", `"currentText":"soon"`, "2026-05-01T10:00:00Z")+
		line("consolestore", "TR", "P1", `"currency":"TRY","current":500,"subscription":true`, "2026-05-01T10:00:00Z")+
		line("consolestore", "TR", "P1", `"currency":"TRY","current":0,"trial":true`, "2026-05-02T10:00:00Z")+
		line("consolestore", "TR", "P1", `"currency":"TRY","current":70000,"source":"doubtful"`, "2026-05-03T10:00:00Z")+
		line("consolestore", "TR", "P1", `"currency":"TRY","current":9000`, "2026-05-04T10:00:00Z")+
		line("consolestore", "UA", "P1", `"currentText":"soon"`, "2026-05-01T10:00:00Z")+
		line("consolestore", "IN", "P2", `"currency":"INR","current":100`, "2026-05-04T10:00:00Z")+
		`{"platform":"consolestore","region":"IN","product":"P2","withdrawn":true,"observedAt":"2026-05-05T10:00:00Z"}`+"\n"+
		`{"platform":"consolestore","region":"TR","product":"P1","withdrawn":true,"observedAt":"2026-05-05T10:00:00Z"}`, "import", "-")
	must(t, dir, rates("2026-01-05", "1.1")+rates("2026-02-22", "1.3"), "history", "import", "-")
	game := strings.Fields(must(t, dir, "", "explain", "P1"))[0]
	table := must(t, dir, "", "history", "export", "--csv")
	const title = `,"'=Star, ""Forge""",`
	want := "id,title,platform,alpha2,from,until,currency,base,current,usd\n" +
		title + "consolestore,IN,2026-05-04T10:00:00.000Z,2026-05-05T10:00:00.000Z,INR,100,100,\n" + // the game is gone
		game + title + "consolestore,TR,2026-05-04T10:00:00.000Z,2026-05-05T10:00:00.000Z,TRY,9000,9000,\n" +
		"star-forge" + title + "pcstore,DE,2026-01-05T10:00:00.000Z,2026-03-01T10:00:00.000Z,EUR,4001,4001,44.01\n" +
		"star-forge" + title + "pcstore,DE,2026-03-01T10:00:00.000Z,2026-03-15T00:00:00.000Z,EUR,4001,2001,26.01\n" +
		"star-forge" + title + "pcstore,DE,2026-03-15T00:00:00.000Z,,EUR,4001,4001,\n" +
		"star-forge" + title + "pcstore,US,2026-05-01T10:00:00.500Z,,USD,1999,1999,19.99\n"
	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if part := must(t, dir, "", "history", "export", "--csv", "--platform", "pcstore", "--region", "US"); strings.Count(part, "\n") != 2 || !strings.Contains(part, ",19.99\n") {
		t.Errorf("of one region: %s", part)
	}
	asked := documented(t, "operations/exchange-rates.md", "```sql")
	answers := "'=Star, \"Forge\"|DE|26.01\n'=Star, \"Forge\"|US|19.99\n" + "'=Star, \"Forge\"|DE|40.01|EUR\n'=Star, \"Forge\"|US|19.99|USD\n"
	file := filepath.Join(t.TempDir(), "prices.db")
	if program, err := exec.LookPath("sqlite3"); err == nil {
		ask := exec.Command(program, file, ".import --csv history.csv history", asked)
		ask.Dir = t.TempDir()
		writeFile(t, filepath.Join(ask.Dir, "history.csv"), table)
		if got, err := ask.CombinedOutput(); err != nil || string(got) != answers {
			t.Errorf("sqlite3 answers %s, %v, want %s", got, err, answers)
		}
	}
	if got := askTable(t, file+"2", table, asked); got != answers {
		t.Errorf("SQLite answers %s, want %s", got, answers)
	}
}

// askTable imports a table in CSV into SQLite, all cells as texts, and returns the rows of
// the answers to queries, a line for each.
func askTable(t *testing.T, file, table, queries string) string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE history ("` + strings.Join(rows[0], `" TEXT, "`) + `" TEXT)`); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		args := make([]any, len(row))
		for i := range row {
			args[i] = row[i]
		}
		if _, err := db.Exec("INSERT INTO history VALUES (?"+strings.Repeat(",?", len(row)-1)+")", args...); err != nil {
			t.Fatal(err)
		}
	}
	var got strings.Builder
	for query := range strings.SplitSeq(strings.TrimSpace(queries), "\n") {
		answer, err := db.Query(query)
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := answer.Columns()
		for answer.Next() {
			cells, dest := make([]string, len(columns)), make([]any, len(columns))
			for i := range cells {
				dest[i] = &cells[i]
			}
			if err := answer.Scan(dest...); err != nil {
				t.Fatal(err)
			}
			got.WriteString(strings.Join(cells, "|") + "\n")
		}
	}
	return got.String()
}

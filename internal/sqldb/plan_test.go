package sqldb_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/sqldb"
	"gamedex/internal/testing/enginetest"
)

// TestPostgresPlans calls every method of the stores on a large database and looks at the
// plans that the server used: no statement reads a large table from end to end, unless it
// wants all of it. The times of the calls are above 2^32, so that a statement that takes
// one for a short integer fails.
//
// In the full world there are a million listings. The plans of small tables say little, so
// elsewhere the server reads from end to end only what has no suitable index.
func TestPostgresPlans(t *testing.T) {
	s := enginetest.SharedPostgres(t)
	dsn := postgresDSN(t)
	name := dsn[strings.LastIndex(dsn, "/")+1:]
	db := open(t, dsn)
	if !hasAutoExplain(t, open(t, s.DSN(name, "postgres"))) {
		t.Skip("auto_explain is missing: install the server's contrib package")
	}
	fillForPlans(t, s, name, db)
	s.Exec(t, name, "ALTER DATABASE "+name+" SET session_preload_libraries = 'auto_explain'",
		"ALTER DATABASE "+name+" SET auto_explain.log_min_duration = 0", "ALTER DATABASE "+name+" SET auto_explain.log_format = 'json'")
	if !fullWorld() {
		for _, way := range []string{"seqscan", "mergejoin", "hashjoin"} {
			s.Exec(t, name, "ALTER DATABASE "+name+" SET enable_"+way+" = off")
		}
	}
	explained := open(t, dsn) // its sessions begin with these settings
	before := len(s.Output(t))
	callEverything(t, explained)
	plans := readPlans(t, s.Output(t)[before:])
	if len(plans) < 100 {
		t.Fatalf("only %d plans were logged", len(plans))
	}
	for _, p := range plans {
		for _, scan := range p.scans() {
			if scan.whole() && slices.Contains(largeTables, scan.Relation) && !mayRead(p.Text, scan.Relation) {
				t.Errorf("%s of all of %s:\n%s", scan.Type, scan.Relation, p.Text)
			}
		}
	}
}

// largeTables are the tables with as many rows as there are listings, or a share of them.
var largeTables = []string{"listing", "history", "usage", "sweep_item", "facts", "prose", "audit", "api_key", "session", "served_id"}

// wholeTables are the statements that may read tables from end to end.
var wholeTables = []struct {
	text   *regexp.Regexp
	tables string
	reason string
}{
	{regexp.MustCompile(`prose_id FROM listing$`), "listing", "a builder's first read"},
	{regexp.MustCompile(`steps FROM history ORDER BY platform, region, product, at$`), "history", "checks all"},
	{regexp.MustCompile(`steps FROM history WHERE platform = \$1 AND region = \$2 ORDER BY product, at$`), "history", "reads a place, which may have most of all"},
	{regexp.MustCompile(`^SELECT id, (body|fields) FROM (facts|prose) WHERE id > \$1 ORDER BY id$`), "facts prose", "a builder's first read"},
	{regexp.MustCompile(`^SELECT count\(\*\) FROM listing$`), "listing", "counts all"},
	{regexp.MustCompile(`prose_id( WHERE l\.platform = \$1)? ORDER BY l\.platform, l\.region, l\.product$`), "listing facts prose", "exports all, or a platform"},
	{regexp.MustCompile(`WHERE l\.platform = \$1 AND l\.region = \$2 ORDER BY l\.platform, l\.region, l\.product$`), "facts prose", "a region may have the contents of all"},
	{regexp.MustCompile(`^SELECT platform, product, facts_id FROM listing WHERE withdrawn = 0$`), "listing", "an export compares the families of all"},
	{regexp.MustCompile(`^SELECT platform, region, seen_at, .* FROM listing WHERE withdrawn = 0$`), "listing", "the freshness of all"},
	{regexp.MustCompile(`FROM served_id ORDER BY platform, id, product$`), "served_id", "a builder's first read"},
	{regexp.MustCompile(`^DELETE FROM sweep_item WHERE platform = \$1$`), "sweep_item", "deletes those of a platform, half of all"},
	{regexp.MustCompile(`FROM api_key (ORDER BY created_at, id|WHERE change > \$1)$`), "api_key", "all keys, such as for an empty cache"},
	{regexp.MustCompile(`^SELECT id FROM api_key WHERE revoked_at <> 0 `), "api_key", "maintenance, once a day"},
	{regexp.MustCompile(`FROM audit( WHERE action = \$1)? ORDER BY id DESC LIMIT \$[12]$`), "audit", "stops at the limit"},
	{regexp.MustCompile(`FROM audit WHERE actor LIKE \$1 `), "audit", "any entry may name a user who is deleted"},
}

func mayRead(text, table string) bool {
	for _, w := range wholeTables {
		if w.text.MatchString(text) && slices.Contains(strings.Fields(w.tables), table) {
			return true
		}
	}
	return false
}

func fullWorld() bool { return os.Getenv("GAMEDEX_WORLD") == "full" }

// hasAutoExplain reports whether the server can log the plans that it uses.
func hasAutoExplain(t *testing.T, super *sqldb.DB) bool {
	const text = "SELECT count(*) FROM pg_config CROSS JOIN LATERAL pg_ls_dir(setting) AS file WHERE name = 'PKGLIBDIR' AND file LIKE 'auto_explain.%'"
	n := 0
	_, err := super.FindRow(t.Context(), "look for auto_explain", text, nil, []any{&n})
	must(t, err)
	return n > 0
}

// plan is what the server logs of a statement.
type plan struct {
	Text string `json:"Query Text"`
	Plan planNode
}

type planNode struct {
	Type     string `json:"Node Type"`
	Relation string `json:"Relation Name"`
	Cond     string `json:"Index Cond"`
	Recheck  string `json:"Recheck Cond"`
	Plans    []planNode
}

// scans returns the nodes that read a table.
func (p *plan) scans() (list []planNode) {
	var walk func(n planNode)
	walk = func(n planNode) {
		if strings.Contains(n.Type, "Scan") {
			list = append(list, n)
		}
		for _, below := range n.Plans {
			walk(below)
		}
	}
	walk(p.Plan)
	return list
}

// whole reports whether a scan reads its table from end to end.
func (n planNode) whole() bool { return n.Relation != "" && n.Cond == "" && n.Recheck == "" }

var logged = regexp.MustCompile(`(?m)^.*LOG:  duration: .*  plan:$`)

// readPlans reads the plans in a server's output. Each is JSON whose lines begin with a tab.
func readPlans(t *testing.T, output []byte) (plans []plan) {
	t.Helper()
	for _, at := range logged.FindAllIndex(output, -1) {
		var body bytes.Buffer
		for line := range bytes.Lines(output[at[1]+1:]) {
			if line[0] != '\t' {
				break
			}
			body.Write(line[1:])
		}
		var p plan
		if err := json.Unmarshal(body.Bytes(), &p); err != nil {
			t.Fatalf("%v in %s", err, body.Bytes())
		}
		plans = append(plans, p)
	}
	return plans
}

// fillForPlans makes a large database.
func fillForPlans(t *testing.T, s *enginetest.Postgres, name string, db *sqldb.DB) {
	const regions = 50
	products := 40
	if fullWorld() {
		products = 6_000 // far more rows than a server would rather read from end to end
	}
	first := console("TR", "first", noon) // with facts and prose that can be parsed
	first.Prose.Publisher = "Example Publisher"
	save(t, db, catalog.SaveCounts{New: 1}, first)
	all := regions * products
	statements := []string{
		`INSERT INTO facts SELECT g, decode(md5(g::text), 'hex'), (SELECT body FROM facts WHERE id = 1) FROM generate_series(2, $products) AS g`,
		`INSERT INTO prose SELECT g, decode(md5(g::text), 'hex'), fields, body FROM prose, generate_series(2, $products) AS g`,
		`INSERT INTO listing SELECT 1 + r % 2, chr(65 + r / 26) || chr(65 + r % 26), 'p' || p, r * $products + p, $noon, $noon, $noon, $noon, 0,
			'TRY', 1000, 1000, '', '', 0, '', 0, 9, 'graphql', 0.5, 'en', 'https://store.example.com/p', p, p,
			decode(md5(p::text), 'hex'), decode(md5(p::text), 'hex'), 1, $noon
			FROM generate_series(0, $regions - 1) AS r, generate_series(1, $products) AS p`,
		`INSERT INTO history SELECT platform, region, product, $noon, decode('$steps', 'hex') FROM listing WHERE facts_id % 4 = 0`,
		`INSERT INTO usage SELECT 'key_' || g % ($all / 20), $noon / 3600000 - g % 100, '/r' || g % 3, 'ok', 1 FROM generate_series(1, $all) AS g ON CONFLICT DO NOTHING`,
		`INSERT INTO sweep_item SELECT 1, r, k, 'i' || g, 'm', 1, $noon, $noon - g, CASE g % 3 WHEN 0 THEN 9223372036854775807 ELSE $noon + g END
			FROM (SELECT region FROM listing GROUP BY region) AS regions (r), generate_series(2, 3) AS k, generate_series(1, $products / 2) AS g`,
		`INSERT INTO person SELECT 'usr_' || g, 'mail' || g || '@example.org', '', 0, $noon, $noon, 0, 1 FROM generate_series(1, $all / 40) AS g`,
		`INSERT INTO api_key SELECT 'key_' || g, decode(md5(g::text) || md5(g::text), 'hex'), 'gdx_', 'k', 'usr_' || g / 2, $noon, 0, 0,
			CASE g % 100 WHEN 0 THEN $noon + g ELSE 0 END, 0, '', 'read:catalog', 0, 0, g FROM generate_series(1, $all / 20) AS g`,
		`INSERT INTO session SELECT 's' || g, 'usr_' || g, '', $noon + g * 1000 FROM generate_series(1, $all / 20) AS g`,
		`INSERT INTO link SELECT decode(md5(g::text) || md5(g::text), 'hex'), 'invite', 'new' || g, 0, 'usr_' || g, $noon, $noon + g * 1000 FROM generate_series(1, $all / 100) AS g`,
		`INSERT INTO identity SELECT 'https://id.example', 's' || g, 'usr_' || g FROM generate_series(1, $all / 40) AS g`,
		`INSERT INTO audit SELECT g, $noon + g * 1000, 'usr_' || g % ($all / 40), 'a' || g % 50, 'o' || g, '', '192.0.2.1', g % 2 FROM generate_series(1, $all / 4) AS g`,
		`INSERT INTO served_id SELECT 1, 'id' || g, 'p' || g FROM generate_series(1, $all / 4) AS g`,
		`INSERT INTO quota_state SELECT 'key_' || g, $noon / 60000, 1, 1 FROM generate_series(1, $all / 20) AS g`,
		`INSERT INTO usage_run SELECT 'run' || g, 1, $noon + g FROM generate_series(1, $all / 100) AS g`,
		`UPDATE counter SET value = $all * 2`,
		`ANALYZE`,
	}
	steps, err := history.AppendRow(nil, []history.Step{{At: noon, State: history.Priced, Currency: "TRY", Base: 1000, Current: 1000}})
	must(t, err)
	fill := strings.NewReplacer("$steps", hex.EncodeToString(steps), "$regions", fmt.Sprint(regions), "$products", fmt.Sprint(products), "$all", fmt.Sprint(all), "$noon", fmt.Sprint(int64(noon)))
	for i := range statements {
		statements[i] = fill.Replace(statements[i])
	}
	s.Exec(t, name, statements...)
}

// callEverything calls every method of the repositories.
func callEverything(t *testing.T, db *sqldb.DB) {
	calls := methodCalls(t, db)
	for _, c := range calls {
		if err := c.call(); err != nil {
			t.Errorf("%s: %v", c.method, err)
		}
	}
	for name, store := range map[string]any{"Listings": db.Listings, "Sweeps": db.Sweeps, "Accounts": db.Accounts, "Nodes": db.Nodes, "Webhooks": db.Webhooks} {
		for i := range reflect.TypeOf(store).NumMethod() {
			method := name + "." + reflect.TypeOf(store).Method(i).Name
			if !slices.ContainsFunc(calls, func(c methodCall) bool { return c.method == method }) {
				t.Errorf("methodCalls has no call of %s, so nobody looks at the plans of its statements", method)
			}
		}
	}
}

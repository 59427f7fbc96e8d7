package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gamedex/internal/sqldb/listings"
)

// importRun describes an import that is not interrupted: the feeds of two
// versions, the content of the database after each, and how long the second
// takes; then an import of history.
type importRun struct {
	stock   stock
	files   [2]string
	content [2]map[rowKey]string
	order   []rowKey // of the lines in all files
	usual   time.Duration
	past    string               // file
	history [2]map[rowKey]string // before its import and after
	longest time.Duration        // of its import
}

func undisturbed(t *testing.T, k stock) importRun {
	t.Helper()
	run := importRun{stock: k}
	dir := t.TempDir()
	for version := range run.files {
		run.files[version] = placed(t, filepath.Join(dir, fmt.Sprintf("%d.ndjson", version)), k.feed(version))
		began := time.Now()
		begin(t, dir, "import", run.files[version]).succeed()
		run.usual = time.Since(began)
		run.content[version] = exported(t, dir)
	}
	for line := range strings.Lines(k.feed(0)) {
		run.order = append(run.order, decoded[rowKey](t, line))
	}
	run.history[0] = exportedHistory(t, dir)
	run.past = placed(t, filepath.Join(dir, "past.ndjson"), k.past(10))
	began := time.Now()
	begin(t, dir, "history", "import", run.past).succeed()
	run.longest = time.Since(began)
	run.history[1] = exportedHistory(t, dir)
	return run
}

// past returns steps that are older than those of the feed, a series for each of its lines.
func (k stock) past(steps int) string {
	var b strings.Builder
	for game := range k.games {
		for _, region := range k.regions {
			var line strings.Builder
			k.line(&line, game, region)
			key := strings.SplitAfter(line.String(), ",")[:3]
			b.WriteString(strings.Join(key, "") + `"steps":[`)
			for i := range steps {
				at := k.opened.Add(time.Duration(i-steps) * time.Hour).Format(time.RFC3339)
				fmt.Fprintf(&b, `%s{"at":"%s","state":"priced","currency":"USD","base":%d,"current":%d}`, []string{"", ","}[min(i, 1)], at, versionZero, 1+i)
			}
			b.WriteString("]}\n")
		}
	}
	return b.String()
}

// exportedHistory returns the exported line of each history.
func exportedHistory(t *testing.T, dir string) map[rowKey]string {
	t.Helper()
	return rowsOf(t, must(t, dir, "", "history", "export"))
}

// TestKillImport kills imports at random times. It checks that the database
// holds whole batches, the first ones; that no committed batch is lost; and
// that the import, when it is finally completed, makes the same database as an
// uninterrupted one: the same listings, and the same histories. In every other
// round a server runs, and must show whole batches only. Then it kills imports of
// history in the same way.
func TestKillImport(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	games := 1000
	if fullWorld() {
		games = 5000
	}
	run := undisturbed(t, newStock(games, "UA", "TR", "PL", "IN"))
	left := kills(t, 40)
	for round := 0; left > 0 && round < 10+number(t, killsVariable, 20); round++ {
		t.Run(fmt.Sprint("round ", round), func(t *testing.T) {
			left -= killImports(t, c, run, min(left, 6), round%2 == 1)
		})
		if t.Failed() {
			return
		}
	}
	if left > 0 {
		t.Errorf("%d kills came too late", left)
	}
}

// killImports kills some imports of both versions into one database and returns
// how many.
func killImports(t *testing.T, c campaign, run importRun, most int, watched bool) (killed int) {
	dir := t.TempDir()
	var s *server
	var token string
	if onServers() { // an import that is killed early leaves a database that cannot be exported
		must(t, dir, "", "migrate")
	}
	if watched {
		s = start(t, dir)
		_, token = newKey(t, dir, unlimited...)
		defer watch(t, s, token, run.stock)()
	}
	var before map[rowKey]string
	for version, file := range run.files {
		committed := 0
		for range (most + 2) / 3 {
			after := c.between(0, run.usual)
			if begin(t, dir, "import", file).killAfter(after) {
				killed++
			}
			if _, err := os.Stat(filepath.Join(dir, "gamedex.db")); committed == 0 && before == nil && errors.Is(err, fs.ErrNotExist) {
				continue // killed before it created the database
			}
			now := wholeBatches(t, run.order, listings.MaxBatch, before, run.content[version], exported(t, dir))
			t.Logf("version %d, killed after %v: %d batches are stored", version, after.Round(time.Millisecond), now)
			if now < committed {
				t.Fatalf("%d batches were committed, %d are left", committed, now)
			}
			committed = now
		}
		must(t, dir, "", "import", file)
		before = exported(t, dir)
		sameRows(t, before, run.content[version])
	}
	sameRows(t, exportedHistory(t, dir), run.history[0])
	killed += killHistoryImports(t, c, run, dir, (most+2)/3)
	must(t, dir, "", "check")
	if watched {
		s.waitForVersion(token, run.stock, 1)
		sameAsFresh(t, s, dir, token, run.stock)
		s.quietLog()
	}
	return killed
}

// historyBatch is how many lines an import of history stores at once.
const historyBatch = 500

// killHistoryImports kills imports of history into a database with both versions, and
// returns how many.
func killHistoryImports(t *testing.T, c campaign, run importRun, dir string, times int) (killed int) {
	committed := 0
	for range times {
		after := c.between(0, run.longest)
		if begin(t, dir, "history", "import", run.past).killAfter(after) {
			killed++
		}
		now := wholeBatches(t, run.order, historyBatch, run.history[0], run.history[1], exportedHistory(t, dir))
		t.Logf("history, killed after %v: %d batches are stored", after.Round(time.Millisecond), now)
		if now < committed {
			t.Fatalf("%d batches of history were committed, %d are left", committed, now)
		}
		committed = now
	}
	must(t, dir, "", "history", "import", run.past)
	sameRows(t, exportedHistory(t, dir), run.history[1])
	return killed
}

// watch fails the test if an answer shows a part of a batch, until the returned function is called.
func watch(t *testing.T, s *server, token string, k stock) (done func()) {
	t.Helper()
	return watchPrices(t, s, token, k.slugs(20), func(r reply) {
		switch r.status {
		case http.StatusOK:
			checkBatches(t, k, k.versions(t, r.body))
		case http.StatusServiceUnavailable: // no index yet
		default:
			t.Errorf("status %d %.200s", r.status, r.body)
		}
	})
}

// checkBatches checks that all games of a batch have one version, and that no
// batch is newer than one before it.
func checkBatches(t *testing.T, k stock, versions map[string]int) {
	t.Helper()
	perBatch := listings.MaxBatch / len(k.regions)
	shown := func(game int) int {
		if version, there := versions[slug(game)]; there {
			return version
		}
		return -1
	}
	for game := 0; game < k.games; game += 20 {
		if first := game - game%perBatch; shown(game) != shown(first) {
			t.Errorf("%s shows version %d, %s of the same batch %d", slug(game), shown(game), slug(first), shown(first))
			return
		}
		if game >= perBatch && shown(game) > shown(game-perBatch) {
			t.Errorf("%s shows version %d, %s of an earlier batch %d", slug(game), shown(game), slug(game-perBatch), shown(game-perBatch))
			return
		}
	}
}

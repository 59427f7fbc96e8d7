package api_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gamedex/internal/api"
	"gamedex/internal/testing/golden"
)

// workVariable says to TestBulkWork that it runs in the process that does the work: what to ask for,
// and how often.
const workVariable = "GAMEDEX_BULK_WORK"

// workPackages are where bulk prices spend their time.
const workPackages = "gamedex/internal/api/bulk,gamedex/internal/api/deflate,gamedex/internal/api/params,gamedex/internal/api/selection,gamedex/internal/api/wire," +
	"gamedex/internal/index,gamedex/internal/index/internal/layout,gamedex/internal/money,gamedex/internal/snapshot"

// TestBulkWork counts the statements that a region price costs, so that no feature slows bulk prices
// down unseen. The counts do not depend on the machine or on other work. It fails if one grows by
// a tenth: then find out why, or accept it with -update.
func TestBulkWork(t *testing.T) {
	if work := os.Getenv(workVariable); work != "" {
		kind, times, _ := strings.Cut(work, " ")
		n, err := strconv.Atoi(times)
		must(t, err)
		doBulkWork(t, kind, n)
		return
	}
	if os.Getenv("GAMEDEX_WORLD") != "full" {
		t.Skip("compiles the packages of bulk prices once more: only in the full world (make check)")
	}
	counting := filepath.Join(t.TempDir(), "counting.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-covermode=count", "-coverpkg="+workPackages, "-o", counting, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var now strings.Builder
	for _, kind := range workKinds {
		few, many := statements(t, counting, kind.name, 1), statements(t, counting, kind.name, 1+kind.times)
		fmt.Fprintf(&now, "%s %.1f\n", kind.name, float64(many-few)/float64(kind.times)/(workGames*4))
	}
	t.Logf("statements for a region price:\n%s", &now)
	const file = "testdata/work.txt"
	if golden.Update() {
		golden.Check(t, file, now.String())
		return
	}
	accepted, err := os.ReadFile(file)
	must(t, err)
	were, are := strings.Fields(string(accepted)), strings.Fields(now.String())
	if len(were) != len(are) {
		t.Fatalf("%s has %d words, want %d", file, len(were), len(are))
	}
	for i := 1; i < len(are); i += 2 {
		was, err := strconv.ParseFloat(were[i], 64)
		is, err2 := strconv.ParseFloat(are[i], 64)
		if err != nil || err2 != nil || were[i-1] != are[i-1] || is == 0 {
			t.Fatalf("%s: %v %v, now %v %v", file, were[i-1], were[i], are[i-1], are[i])
		}
		if is > 1.1*was {
			t.Errorf("%s: a region price takes %.1f statements, %.1f in %s; to accept it, run: GAMEDEX_WORLD=full go test ./internal/api -run TestBulkWork -update", are[i-1], is, was, file)
		}
	}
}

// statements returns how many statements of workPackages are executed by doBulkWork in a process of the
// program that counts them.
func statements(t *testing.T, counting, kind string, times int) (n int64) {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "cover")
	cmd := exec.CommandContext(t.Context(), counting, "-test.run", "^TestBulkWork$", "-test.coverprofile="+profile)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", workVariable, kind, times), "GOGC=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := os.Open(profile)
	must(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// FILE:FROM,TO STATEMENTS COUNT
		if fields := strings.Fields(lines.Text()); len(fields) == 3 {
			size, err := strconv.ParseInt(fields[1], 10, 64)
			count, err2 := strconv.ParseInt(fields[2], 10, 64)
			if err != nil || err2 != nil {
				t.Fatalf("%q: %v, %v", lines.Text(), err, err2)
			}
			n += size * count
		}
	}
	must(t, lines.Err())
	return n
}

const workGames = 1000

// How many items are encoded until the cache is full depends on its random seed. The kinds that use it
// send more requests, so that this has no weight.
var workKinds = []struct {
	name, change, coding string
	times                int
}{
	{"seldom", "", "", 10},
	{"seldom-gzip", "", "gzip", 10},
	{"again", "", "", 1000},
	{"again-gzip", "", "gzip", 200},
	{"lows", `,"include":["lows"]`, "", 10},
	{"language", `,"lang":"pl"`, "", 10},
	{"currency", `,"currency":"PLN"`, "", 10},
}

// doBulkWork asks for the prices of the same games, times times after it was done often enough for the
// cache.
func doBulkWork(t *testing.T, kind string, times int) {
	t.Helper()
	b := &bulkWays{view: bulkView(t, workGames)}
	again := strings.HasPrefix(kind, "again")
	b.w = newWorld(t, unlimited, func(w *world, c *api.Config) {
		w.live.Swap(b.view)
		if c.AnswerCache = 0; again {
			c.AnswerCache = 64 << 20
		}
	})
	var ids []string
	for i := range workGames {
		ids = append(ids, gameID(i))
	}
	b.sets = [][]string{ids}
	for _, k := range workKinds {
		if k.name == kind {
			run := b.handler(t, 1, k.change, k.coding)
			if again {
				times += 60
			}
			for range times {
				run()
			}
		}
	}
}

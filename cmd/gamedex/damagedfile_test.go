package main

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gamedex/internal/testing/await"
)

// harms damage the file of a database, as far as the process that uses it can survive.
var harms = map[string]func(t *testing.T, file string){
	"first page":  func(t *testing.T, file string) { overwrite(t, file, 0, 4096) },
	"other pages": func(t *testing.T, file string) { overwrite(t, file, 4096, sizeOf(t, file)) },
	"all noise":   func(t *testing.T, file string) { overwrite(t, file, 0, sizeOf(t, file)) },
	"cut":         func(t *testing.T, file string) { cutFile(t, file, sizeOf(t, file)/2/4096*4096) },
	"emptied":     func(t *testing.T, file string) { cutFile(t, file, 0) },
	"replaced": func(t *testing.T, file string) {
		writeFile(t, file+".other", read(t, file))
		if err := os.Rename(file+".other", file); err != nil {
			t.Fatal(err)
		}
	},
	"removed": func(t *testing.T, file string) {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	},
}

func sizeOf(t *testing.T, file string) int64 {
	t.Helper()
	st, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return st.Size()
}

// overwrite writes noise over a part of a file.
func overwrite(t *testing.T, file string, from, to int64) {
	t.Helper()
	noise := make([]byte, to-from)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise)
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(noise, from); err != nil {
		t.Fatal(err)
	}
}

func cutFile(t *testing.T, file string, size int64) {
	t.Helper()
	if err := os.Truncate(file, size); err != nil {
		t.Fatal(err)
	}
}

// contentOf returns a hash of a file; that of nothing if it is gone.
func contentOf(file string) [32]byte {
	content, _ := os.ReadFile(file)
	return sha256.Sum256(content)
}

const notUsed = "; this process no longer reads or writes it: stop it, move all files "

// servesWithoutDatabase checks that a process whose database is damaged serves public pages, says
// why nothing else works.
func servesWithoutDatabase(t *testing.T, s *server, file string, p *person, unknown ...string) {
	t.Helper()
	_, games := s.get("", "/sitemap.xml?part=games-1")
	game := regexp.MustCompile(`<loc>[^<]*(/en/[^<]*)</loc>`).FindStringSubmatch(games)
	if game == nil {
		t.Fatalf("the sitemap has no games: %.500s", games)
	}
	for _, path := range []string{"/en", "/en/browse", "/en/deals/ua", game[1], "/docs", "/status", "/llms.txt", "/openapi.json", "/robots.txt", "/api/v1/health", "/signin"} {
		if status, body := s.get("", path); status != http.StatusOK {
			t.Errorf("%s: status %d %.300s", path, status, body)
		}
	}
	for _, token := range unknown {
		if status, body := s.get(token, "/api/v1/catalog/search?q=star"); status != http.StatusServiceUnavailable || !strings.Contains(body, `"SERVICE_UNAVAILABLE"`) {
			t.Errorf("a key that cannot be looked up: status %d %s", status, body)
		}
	}
	needsDatabase(t, "damaged", s, unknown[0], p)
	_, ready := fetch(t, "GET", s.ops+"/readyz")
	if !strings.HasPrefix(ready, "ready\n") || !strings.Contains(ready, notUsed) || !strings.Contains(ready, file) {
		t.Errorf("/readyz: %s", ready)
	}
	if n := strings.Count(s.stderr.String(), `level=ERROR msg="nothing can be saved`); n != 1 || !strings.Contains(s.stderr.String(), notUsed) {
		t.Errorf("the log says %d times why:\n%s", n, s.stderr)
	}
}

// TestDatabaseFileIsDamaged damages the file of the database in every way, while the service runs
// and while it is stopped. The service goes on with what it has in memory, and starts with the
// stored snapshot.
func TestDatabaseFileIsDamaged(t *testing.T) {
	fileOnly(t, "it damages the file of a database")
	t.Parallel()
	for name, harm := range harms {
		for _, when := range []string{whileRunning, afterStop, afterKill} {
			if name == "replaced" && when != whileRunning {
				continue // that is a restore
			}
			if name == "first page" && when == afterKill {
				continue // the log has it
			}
			t.Run(name+", "+when, func(t *testing.T) {
				t.Parallel()
				damageFile(t, when, harm)
			})
		}
	}
}

// When a file is damaged.
const (
	whileRunning = "while running"
	afterStop    = "after a stop"
	afterKill    = "after a kill"
)

// TestLargeDatabaseFileIsDamaged damages a page of a file that is too large to be checked as a whole
// at each start.
func TestLargeDatabaseFileIsDamaged(t *testing.T) {
	fileOnly(t, "it damages the file of a database")
	t.Parallel()
	for _, table := range []string{"api_key", "meta"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			damageFile(t, afterStop, func(t *testing.T, file string) {
				db, err := sql.Open("sqlite", file)
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				var root int64
				if _, err = db.Exec("CREATE TABLE filler AS SELECT zeroblob(17000000)"); err == nil {
					err = db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = $1", table).Scan(&root)
				}
				if err := errors.Join(err, db.Close()); err != nil {
					t.Fatal(err)
				}
				overwrite(t, file, (root-1)*4096, root*4096)
			})
		})
	}
}

func damageFile(t *testing.T, when string, harm func(*testing.T, string)) {
	s := copyOfShared(t)
	file := filepath.Join(s.dir, "gamedex.db")
	must(t, s.dir, "a long enough password\n", "user", "create", "ann@example.org", "--password-stdin")
	s.start(t, "--public-pages")
	signedIn, known := ann(t, s.server), s.user(t)
	known.get("/catalog/search?q=star").want(200)
	unknown := []string{stranger(t)}
	if when != whileRunning {
		if when == afterKill {
			s.kill()
		} else {
			s.stop()
		}
		unknown = append(unknown, s.token)
	}
	harm(t, file)
	left := contentOf(file)
	if when != whileRunning {
		s.start(t, "--public-pages")
		signedIn.base = s.api
	}
	await.That(t, "the damage to be noticed", func() bool {
		_, metrics := fetch(t, "GET", s.ops+"/metrics")
		return strings.Contains(metrics, `gamedex_condition_failed{condition="database"} 1`)
	})
	if when == whileRunning { // until then the process may have written
		left = contentOf(file)
		known.get("/catalog/search?q=star").want(200)
		known.get("/account/me").want(200)
	}
	servesWithoutDatabase(t, s.server, file, signedIn, unknown...)
	s.stop()
	if contentOf(file) != left {
		t.Error("the file was changed")
	}
}

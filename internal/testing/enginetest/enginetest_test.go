package enginetest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

func TestFindSaysHowToGetAProgram(t *testing.T) {
	t.Setenv("GAMEDEX_ENGINES", "")
	for program, want := range map[string]string{"redis-server": "redis-server", "postgres": "postgresql"} {
		t.Setenv("PATH", t.TempDir())
		path, err := enginetest.Find(program)
		if err == nil { // in a folder that is not on the PATH
			if filepath.Base(path) != program {
				t.Errorf("found %s for %s", path, program)
			}
			continue
		}
		if text := err.Error(); !strings.Contains(text, "scripts/setup engines") || !strings.Contains(text, "apt-get install "+want) || strings.Contains(text, "\n") {
			t.Errorf("error %q, want one line with the script and the package", text)
		}
	}
}

// TestRequiredEnginesAreWanted checks that a missing engine is not passed over where
// engines are required.
func TestRequiredEnginesAreWanted(t *testing.T) {
	t.Setenv("GAMEDEX_ENGINES", "")
	if enginetest.Wanted("no-such-engine") {
		t.Error("an engine that is missing and not required is wanted")
	}
	t.Setenv("GAMEDEX_ENGINES", "required")
	if !enginetest.Wanted("no-such-engine") {
		t.Error("an engine that is required is not wanted")
	}
}

// TestKilledTestsLeaveNothing kills a test binary that runs a server, and checks that
// the server ends and its folder is removed.
func TestKilledTestsLeaveNothing(t *testing.T) {
	const child = "GAMEDEX_TEST_ENGINE_CHILD"
	if os.Getenv(child) != "" {
		s := enginetest.NewPostgres(t)
		fmt.Printf("server %d\n", s.PID)
		select {} // until it is killed
	}
	enginetest.Need(t, "postgres")
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscanf(line, "server %d", &pid); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		t.Skipf("the folder of a process cannot be read here: %v", err)
	}
	dir = strings.TrimSuffix(dir, "/files") // where PostgreSQL works
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await.That(t, "the server's end", func() bool {
		now, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		return err != nil || !strings.HasPrefix(now, dir)
	})
	await.That(t, "the removal of "+dir, func() bool {
		_, err := os.Stat(dir)
		return errors.Is(err, fs.ErrNotExist)
	})
}

// TestPostgresStartsAfterAKill kills a server that has many connections, and starts it again at
// once: none of the processes of these connections may still have its memory.
func TestPostgresStartsAfterAKill(t *testing.T) {
	s := enginetest.NewPostgres(t)
	for range 3 {
		for range 50 {
			conn, err := pgx.Connect(t.Context(), s.DSN("postgres", "postgres"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close(context.Background()) })
		}
		if err := s.Kill(); err != nil {
			t.Fatal(err)
		}
		s.Restart(t)
	}
}

// TestServersOfAProgram checks that a program that is no test starts servers in a folder of
// its choice, and that nothing is left of them when they are closed.
func TestServersOfAProgram(t *testing.T) {
	for program, start := range map[string]func(parent string) (io.Closer, error){
		"postgres":     func(parent string) (io.Closer, error) { return enginetest.StartPostgres(parent) },
		"redis-server": func(parent string) (io.Closer, error) { return enginetest.StartRedis(parent) },
		"versitygw":    func(parent string) (io.Closer, error) { return enginetest.StartS3(parent) },
	} {
		t.Run(program, func(t *testing.T) {
			enginetest.Need(t, program)
			parent, err := os.MkdirTemp("", "e") // short, because PostgreSQL makes a socket in it
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(parent)
			if err := os.Chmod(parent, 0o755); err != nil { // the user of servers comes through it
				t.Fatal(err)
			}
			s, err := start(parent)
			if err != nil {
				t.Fatal(err)
			}
			if in, err := os.ReadDir(parent); err != nil || len(in) != 1 {
				t.Errorf("%d folders in the parent (%v), want that of the server", len(in), err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if in, err := os.ReadDir(parent); err != nil || len(in) != 0 {
				t.Errorf("%d folders remain (%v)", len(in), err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("closed again: %v", err)
			}
		})
	}
}

// TestDatabases checks that tests get databases of their own on one server, with the
// content of a template that is made once.
func TestDatabases(t *testing.T) {
	s := enginetest.SharedPostgres(t)
	if again := enginetest.SharedPostgres(t); again != s {
		t.Error("the second call has started another server")
	}
	made := 0
	prepare := func(dsn string) error {
		made++
		conn, err := pgx.Connect(t.Context(), dsn)
		if err != nil {
			return err
		}
		_, err = conn.Exec(t.Context(), "CREATE TABLE word (text TEXT); INSERT INTO word VALUES ('a'), ('B')")
		return errors.Join(err, conn.Close(t.Context()))
	}
	copied := func(t *testing.T) string { return s.CopyDatabase(t, "words", prepare) }
	// use runs a subtest that changes a copy, and returns the name of the copy.
	use := func(statements ...string) (name string) {
		t.Run(statements[0], func(t *testing.T) {
			name = copied(t)
			if got := texts(t, s.OwnDSN(name), "SELECT text FROM word ORDER BY text"); strings.Join(got, " ") != "a B" {
				t.Errorf("words %q, want those of the template in the order of a language", got)
			}
			if _, err := pgx.Connect(context.Background(), s.OwnDSN(name)); err != nil { // stays open
				t.Fatal(err)
			}
			s.Exec(t, name, statements...)
		})
		return name
	}
	first := use("DELETE FROM word WHERE text = 'a'", "INSERT INTO word VALUES ('c')")
	for _, change := range []string{"ALTER TABLE word ADD COLUMN number INT", "CREATE TABLE other ()", "REVOKE SELECT ON word FROM gamedex",
		"INSERT INTO word SELECT repeat('x', 1000) FROM generate_series(1, 5000)", "ANALYZE word", "CREATE INDEX ON word (text)"} {
		changed := use(change)
		if changed != first {
			t.Errorf("%s: the copy before it is not used again", change)
		}
		if first = use("DELETE FROM word"); first == changed {
			t.Errorf("%s: the copy is used again", change)
		}
		if got := texts(t, s.DSN("postgres", "postgres"), "SELECT datname FROM pg_database WHERE datname = '"+changed+"'"); len(got) > 0 {
			t.Errorf("%s: the copy is still there", change)
		}
	}
	if made != 1 {
		t.Errorf("the template was made %d times", made)
	}
	if one, other := copied(t), copied(t); one == other {
		t.Error("two users of one database")
	}
}

func texts(t *testing.T, dsn, query string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return list
}

package enginetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Postgres is a PostgreSQL server. It orders texts by the rules of a language, as
// many servers do. Everybody may connect without a password, but for the role
// guarded, whose password is "open sesame".
type Postgres struct {
	*Process
	Port int

	program   string
	dir       string
	settings  []string
	mu        sync.Mutex
	made      int // databases so far
	templates map[string]*template
}

// owner is the role that owns the databases of tests. It is not a superuser.
const owner = "gamedex"

// shared is the server of this test binary.
var shared = sync.OnceValues(func() (*Postgres, error) { return inFolder(memory(), startPostgres()) })

// SharedPostgres returns the one server of this test binary, which is for tests that
// neither stop it nor change its settings. It loses its data if the machine
// crashes. See [Need] for what happens where PostgreSQL is missing.
func SharedPostgres(t testing.TB) *Postgres {
	t.Helper()
	Need(t, "postgres")
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// NewPostgres starts a server for this test, with further settings such as
// "fsync=on".
func NewPostgres(t testing.TB, settings ...string) *Postgres {
	t.Helper()
	Need(t, "postgres")
	return forTest(t, memory(), startPostgres(settings...))
}

// StartPostgres is [NewPostgres] for a program that is not a test. The server's files are in
// a new folder in parent; "" is the folder for temporary files. Close stops the server.
func StartPostgres(parent string, settings ...string) (*Postgres, error) {
	return inFolder(parent, startPostgres(settings...))
}

// access is pg_hba.conf.
const access = `local all all trust
host all guarded 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
host replication all 127.0.0.1/32 trust
`

func startPostgres(settings ...string) func(dir string) (*Postgres, error) {
	return func(dir string) (*Postgres, error) {
		s, err := newPostgres(dir, settings)
		if err == nil {
			err = s.initdb()
		}
		if err == nil {
			err = s.run()
		}
		if err == nil {
			err = s.exec(context.Background(), "postgres", "CREATE ROLE "+owner+" LOGIN", "CREATE ROLE guarded LOGIN PASSWORD 'open sesame'")
		}
		return s, err
	}
}

// newPostgres returns a server that has no files yet.
func newPostgres(dir string, settings []string) (*Postgres, error) {
	program, port, err := findWithPort("postgres")
	if err == nil { // its other programs are beside it, not beside a link to it
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		return nil, err
	}
	return &Postgres{Port: port, program: program, dir: dir, settings: settings, templates: make(map[string]*template)}, nil
}

// files is the folder of the databases.
func (s *Postgres) files() string { return filepath.Join(s.dir, "files") }

func (s *Postgres) initdb() error {
	err := s.runTool("initdb", "--pgdata="+s.files(), "--username=postgres",
		"--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.files(), "pg_hba.conf"), []byte(access), 0o600)
}

// Programs returns the folder of the programs that come with the server.
func (s *Postgres) Programs() string { return filepath.Dir(s.program) }

// runTool runs a program that comes with the server.
func (s *Postgres) runTool(name string, args ...string) error {
	cmd, err := command(s.dir, filepath.Join(s.Programs(), name), args...)
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// run starts the server on its files.
func (s *Postgres) run() (err error) {
	args := []string{"-D", s.files(), "-k", s.dir, "-p", fmt.Sprint(s.Port)}
	// Memory that servers share is in files of the folder, so that a killed one leaves none.
	settings := append([]string{"listen_addresses=127.0.0.1", "max_connections=200", "fsync=off", "full_page_writes=off",
		"dynamic_shared_memory_type=mmap"}, s.settings...)
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	s.Process, err = startReady(s.dir, Command{Program: s.program, Args: args, End: syscall.SIGINT}, func(ctx context.Context) error {
		return s.exec(ctx, "postgres", "SELECT 1")
	})
	return err
}

// Restart starts the server, which has ended, on its port and its files again.
func (s *Postgres) Restart(t testing.TB) {
	t.Helper()
	if err := s.run(); err != nil {
		t.Fatal(err)
	}
}

// DSN returns the DSN of a database, for a role without a password.
func (s *Postgres) DSN(database, role string) string {
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s", role, s.Port, database)
}

// Exec runs statements in a database as a superuser.
func (s *Postgres) Exec(t testing.TB, database string, statements ...string) {
	t.Helper()
	if err := s.exec(context.Background(), database, statements...); err != nil {
		t.Fatal(err)
	}
}

func (s *Postgres) exec(ctx context.Context, database string, statements ...string) (err error) {
	conn, err := pgx.Connect(ctx, s.DSN(database, "postgres"))
	if err != nil {
		return err
	}
	for _, text := range statements {
		if _, err = conn.Exec(ctx, text); err != nil {
			err = fmt.Errorf("%s: %w", text, err)
			break
		}
	}
	return errors.Join(err, conn.Close(ctx))
}

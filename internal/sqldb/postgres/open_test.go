package postgres_test

import (
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/postgres"
	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/porttest"
)

// newDatabase returns the DSN of a database with the current schema.
func newDatabase(t *testing.T) string {
	t.Helper()
	s := enginetest.SharedPostgres(t)
	return s.OwnDSN(s.CopyDatabase(t, "gamedex", func(dsn string) error {
		db, err := postgres.Open(t.Context(), dsn, engine.Options{Create: true})
		if err != nil {
			return err
		}
		return db.Close()
	}))
}

// open opens a database until the test ends.
func open(t *testing.T, dsn string) *postgres.DB {
	t.Helper()
	return openWith(t, dsn, engine.Options{Create: true})
}

func openWith(t *testing.T, dsn string, opts engine.Options) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), dsn, opts)
	must(t, err)
	t.Cleanup(func() {
		must(t, db.Close())
	})
	return db
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestOpenRefusesDSN checks that the sentence about a DSN that cannot work has no part
// of its password, and that nothing is connected to.
func TestOpenRefusesDSN(t *testing.T) {
	for dsn, want := range map[string]string{
		"postgres://gamedex:geheim@host:port/games":                         "invalid port",
		"postgres://gamedex:ge/heim@host/games":                             "invalid port",
		"postgres://gamedex:12/geheim@host/games":                           "the password ends at the first @ or /",
		"postgres://gamedex:ge@heim@host/games":                             "the password ends at the first @ or /",
		"postgres://gamedex:geheim@host/games?sslmode=maybe":                "sslmode is invalid",
		"postgres://gamedex:geheim@host/games?target_session_attrs=writer":  "unknown target_session_attrs",
		"postgres://gamedex:geheim@host/games?pool_max_conns=many":          "cannot parse pool_max_conns",
		"postgres://gamedex:geheim@host/games?pool_max_conns=3":             "pool_max_conns is 3; it must be 4 or more",
		"postgres://gamedex:geheim@host/games?default_query_exec_mode=fast": "default_query_exec_mode",
		"postgres://gamedex:geheim@[::1/games":                              "failed to parse as URL",
		"postgres://gamedex:geheim@a:1,b:2,c:3/games?port=1,2":              "could not match",
	} {
		_, err := postgres.Open(t.Context(), dsn, engine.Options{Create: true})
		if err == nil {
			t.Errorf("%s was opened", dsn)
			continue
		}
		if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "heim") || strings.Contains(text, "\n") {
			t.Errorf("%s: error %q\nwant one line with %q and without the password", dsn, text, want)
		}
	}
}

// TestOpenRefuses checks that the sentence about a database that cannot be used names
// it and the way out, but no password.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	s := enginetest.SharedPostgres(t)
	secret := func(dsn string) string { return strings.Replace(dsn, "@", ":geheim@", 1) }
	for _, tt := range []struct {
		name string
		make func(t *testing.T) (dsn string)
		want string
	}{
		{"a wrong password", func(t *testing.T) string {
			return secret(s.DSN(s.NewDatabase(t, ""), "guarded"))
		}, "refuses the password of role guarded; correct the DSN, PGPASSWORD or ~/.pgpass"},
		{"a role that does not exist", func(t *testing.T) string {
			return secret(s.DSN(s.NewDatabase(t, ""), "nobody_of_us"))
		}, "refuses role nobody_of_us; create it with LOGIN"},
		{"a missing database", func(*testing.T) string { return secret(s.OwnDSN("nowhere")) }, "does not exist; correct the name, or create it"},
		{"no server", func(t *testing.T) string {
			return secret("postgres://gamedex@" + porttest.Closed(t) + "/games")
		}, "does not answer; check host and port, and that the server runs"},
		{"no right to create", func(t *testing.T) string {
			name := s.NewDatabase(t, "")
			s.Exec(t, name, "ALTER DATABASE "+name+" OWNER TO postgres")
			return secret(s.OwnDSN(name))
		}, "does not let role gamedex create tables in schema public; as its owner: GRANT CREATE ON SCHEMA"},
		{"no right to read", func(t *testing.T) string {
			name := s.NewDatabase(t, "")
			open(t, s.DSN(name, "postgres")).Close()
			return secret(s.OwnDSN(name))
		}, "denies role gamedex a privilege that gamedex needs; use the role that owns the tables"},
		{"another encoding", func(t *testing.T) string {
			return secret(s.OwnDSN(s.NewDatabase(t, "TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'")))
		}, "has the encoding SQL_ASCII, not UTF8; create another one: CREATE DATABASE"},
		{"a database for readers", func(t *testing.T) string {
			name := s.NewDatabase(t, "")
			s.Exec(t, name, "ALTER DATABASE "+name+" SET default_transaction_read_only = on")
			return secret(s.OwnDSN(name))
		}, "is a read-only standby; name the primary"},
		{"a foreign table", func(t *testing.T) string {
			name := s.NewDatabase(t, "")
			s.Exec(t, name, "CREATE TABLE session (id INTEGER)")
			return secret(s.OwnDSN(name))
		}, "contains public.session, which belongs to another program; name an empty database, or another schema"},
		{"a foreign index", func(t *testing.T) string {
			name := s.NewDatabase(t, "")
			s.Exec(t, name, "CREATE TABLE mine (id INTEGER)", "CREATE INDEX audit_at ON mine (id)")
			return secret(s.OwnDSN(name))
		}, "contains public.audit_at, which belongs to another program"},
		{"foreign versions", func(t *testing.T) string {
			name := s.NewDatabase(t, "")
			s.Exec(t, name, "CREATE TABLE schema_version (installed_rank INTEGER, version TEXT)")
			return secret(s.OwnDSN(name))
		}, "contains public.schema_version, which belongs to another program"},
		{"no schema", func(t *testing.T) string {
			return secret(s.OwnDSN(s.NewDatabase(t, ""))) + "?search_path=nothing"
		}, "has none of the schemas in the search_path; create one, or name another"},
		{"a newer schema", func(t *testing.T) string {
			dsn := newDatabase(t)
			exec(t, dsn, "INSERT INTO schema_version (version_id, is_applied) VALUES (99, true)", "UPDATE meta SET value = '99' WHERE name = 'oldest_schema'")
			return secret(dsn)
		}, "was made by a newer gamedex (schema 99"},
		{"a newer schema that names no oldest program", func(t *testing.T) string {
			dsn := newDatabase(t)
			exec(t, dsn, "INSERT INTO schema_version (version_id, is_applied) VALUES (99, true)", "DELETE FROM meta WHERE name = 'oldest_schema'")
			return secret(dsn)
		}, "was made by a newer gamedex (schema 99"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := tt.make(t)
			db, err := postgres.Open(t.Context(), dsn, engine.Options{Create: true})
			if err == nil {
				db.Close()
				t.Fatal("the database was opened")
			}
			text := err.Error()
			if !strings.Contains(text, tt.want) || strings.Contains(text, "geheim") || strings.Contains(text, "\n") {
				t.Errorf("error %q\nwant one line with %q and without the password", text, tt.want)
			}
			if !strings.Contains(text, "database 127.0.0.1:") {
				t.Errorf("error %q does not name the database", text)
			}
		})
	}
}

// TestOpenWithoutAServer checks that the sentence names host and port, the way out and each
// cause once, though the driver tries more than once.
func TestOpenWithoutAServer(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and answers nothing
	must(t, err)
	defer silent.Close()
	closed, folder := porttest.Closed(t), filepath.Join(t.TempDir(), "none")
	for _, tt := range []struct{ dsn, name, cause string }{
		{"postgres://u:geheim@" + closed + "/games", closed + "/games", "connection refused"},
		{"postgres://u@" + closed + "," + silent.Addr().String() + "/games?connect_timeout=1", closed + "," + silent.Addr().String() + "/games",
			closed + ": connection refused, " + silent.Addr().String() + ": no answer in time"},
		{"postgres://u@/games?host=" + folder, folder + "/games", "no such file or directory"},
	} {
		_, err := postgres.Open(t.Context(), tt.dsn, engine.Options{})
		want := "open database: database " + tt.name + " does not answer; check host and port, and that the server runs: " + tt.cause
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", tt.dsn, err, want)
		}
		if _, waits := errors.AsType[*engine.UnreachableError](err); !waits {
			t.Errorf("%s: not an UnreachableError", tt.dsn)
		}
	}
}

// exec runs statements in a database without this package.
func exec(t *testing.T, dsn string, statements ...string) {
	t.Helper()
	for _, text := range statements {
		_, err := connect(t, dsn).Exec(t.Context(), text)
		must(t, err)
	}
}

// TestOpenWithoutCreateCreatesNothing checks that a database stays empty without the
// option, and that the sentence says how to fill it.
func TestOpenWithoutCreateCreatesNothing(t *testing.T) {
	s := enginetest.SharedPostgres(t)
	dsn := s.OwnDSN(s.NewDatabase(t, ""))
	_, err := postgres.Open(t.Context(), dsn, engine.Options{})
	if err == nil || !strings.Contains(err.Error(), "create it with `gamedex import FILE`, `gamedex serve` or `gamedex migrate`") {
		t.Errorf("error %v", err)
	}
	if tables := query(t, connect(t, dsn), "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace"); len(tables) > 0 {
		t.Errorf("created %q", tables)
	}
}

// TestOpenAtOnce checks that several processes may open a new database at once: all
// see the same complete one.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	s := enginetest.SharedPostgres(t)
	dsn := s.OwnDSN(s.NewDatabase(t, ""))
	ids := make([]string, 6)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			db, err := postgres.Open(t.Context(), dsn, engine.Options{Create: true})
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = db.ID()
			db.Close()
		})
	}
	all.Wait()
	for _, id := range ids {
		if len(id) != 32 || id != ids[0] {
			t.Fatalf("ids %q, want one of 32 characters", ids)
		}
	}
	if twice := query(t, connect(t, dsn), "SELECT version_id::text FROM schema_version GROUP BY 1 HAVING count(*) > 1"); len(twice) > 0 {
		t.Errorf("migrations %q were applied more than once", twice)
	}
}

// TestOwnSchema checks that several gamedex databases fit into one of the server, in
// schemas of their own.
func TestOwnSchema(t *testing.T) {
	t.Parallel()
	s := enginetest.SharedPostgres(t)
	name := s.NewDatabase(t, "")
	s.Exec(t, name, "CREATE SCHEMA one AUTHORIZATION gamedex", "CREATE SCHEMA two AUTHORIZATION gamedex")
	one, two := open(t, s.OwnDSN(name)+"?search_path=one"), open(t, s.OwnDSN(name)+"?search_path=two")
	if one.ID() == two.ID() {
		t.Error("two schemas have one id")
	}
	if again := open(t, s.OwnDSN(name)+"?search_path=one"); again.ID() != one.ID() {
		t.Error("opening again drew another id")
	}
}

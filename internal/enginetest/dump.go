package enginetest

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"
)

// Dump writes a database, which may be in use, to a file for [Postgres.Restore].
func (s *Postgres) Dump(t testing.TB, database, file string) {
	t.Helper()
	s.tool(t, "pg_dump", "--format=custom", "--compress=0", "--file="+file, s.OwnDSN(database))
}

// Restore fills an empty database from a file of [Postgres.Dump].
func (s *Postgres) Restore(t testing.TB, database, file string) {
	t.Helper()
	s.tool(t, "pg_restore", "--exit-on-error", "--dbname="+s.OwnDSN(database), file)
}

// tool runs a program that is beside the server's.
func (s *Postgres) tool(t testing.TB, name string, args ...string) {
	t.Helper()
	server, err := Find("postgres")
	if err == nil {
		server, err = filepath.EvalSymlinks(server)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(filepath.Join(filepath.Dir(server), name), args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, bytes.TrimSpace(out))
	}
}

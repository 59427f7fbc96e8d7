package enginetest

import (
	"os"
	"testing"
)

// Dump returns a file for [Postgres.Restore] with the content of a database, which may be
// in use.
func (s *Postgres) Dump(t testing.TB, database string) (file string) {
	t.Helper()
	f, err := os.CreateTemp(s.dir, "dump-*")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := os.Remove(f.Name()); err != nil { // it belongs to the user of the server
		t.Fatal(err)
	}
	if err := s.runTool("pg_dump", "--format=custom", "--compress=0", "--file="+f.Name(), s.OwnDSN(database)); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// Restore fills an empty database from a file of [Postgres.Dump].
func (s *Postgres) Restore(t testing.TB, database, file string) {
	t.Helper()
	if err := s.runTool("pg_restore", "--exit-on-error", "--dbname="+s.OwnDSN(database), file); err != nil {
		t.Fatal(err)
	}
}

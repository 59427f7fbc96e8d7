package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"gamedex/internal/enginetest"
)

// databases are those of data folders that are on a PostgreSQL server. Folders that
// are not in it have a file, or, where GAMEDEX_ENGINE is "postgres", get a database on
// the server.
var databases = struct {
	sync.Mutex
	names map[string]string // by data folder
	made  int
}{names: map[string]string{}}

// onPostgres reports whether all tests keep their databases on PostgreSQL.
func onPostgres() bool { return os.Getenv("GAMEDEX_ENGINE") == "postgres" }

// fileOnly skips a test of what only a database in a file has.
func fileOnly(t *testing.T) {
	if onPostgres() {
		t.Skip("only a database in a file can do that")
	}
}

// usePostgres puts the database of a data folder on the server that all tests share,
// and returns its name.
func usePostgres(t testing.TB, dir string) (name string) {
	t.Helper()
	s := enginetest.SharedPostgres(t)
	databases.Lock()
	defer databases.Unlock()
	if name := databases.names[dir]; name != "" {
		return name
	}
	for dir, name := range databases.names { // those of tests that have ended
		if _, err := os.Stat(filepath.Dir(dir)); os.IsNotExist(err) {
			s.Exec(t, "postgres", "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
			delete(databases.names, dir)
		}
	}
	databases.made++
	name = fmt.Sprintf("story_%d", databases.made)
	s.Exec(t, "postgres", "CREATE DATABASE "+name+" OWNER gamedex")
	databases.names[dir] = name
	return name
}

// serverDSN returns the DSN of the database of a data folder; "" if it is a file.
func serverDSN(t testing.TB, dir string) string {
	t.Helper()
	databases.Lock()
	name := databases.names[dir]
	databases.Unlock()
	if name == "" && onPostgres() {
		name = usePostgres(t, dir)
	}
	if name == "" {
		return ""
	}
	return enginetest.SharedPostgres(t).OwnDSN(name)
}

// databaseFlags returns the flags that choose a data folder and its database, for the
// program inside the test. A process gets them from command.
func databaseFlags(t testing.TB, dir string) []string {
	t.Helper()
	flags := []string{"--data-dir", dir}
	if dsn := serverDSN(t, dir); dsn != "" {
		flags = append(flags, "--database", dsn)
	}
	return flags
}

// copyDatabase copies the database of a data folder, which may be in use, to another
// folder.
func copyDatabase(t *testing.T, from, to string) {
	t.Helper()
	if serverDSN(t, from) == "" {
		must(t, from, "", "backup", filepath.Join(to, "gamedex.db"))
		return
	}
	s := enginetest.SharedPostgres(t)
	s.Restore(t, usePostgres(t, to), s.Dump(t, usePostgres(t, from)))
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"gamedex/internal/node"
	"gamedex/internal/testing/buckettest"
	"gamedex/internal/testing/enginetest"
)

// onServers reports whether all tests keep what a service stores on servers, as several
// nodes do: databases on PostgreSQL, counters in Redis, snapshots in an S3 service.
func onServers() bool { return os.Getenv("GAMEDEX_ENGINE") == "shared" }

// engines are where a service stores what it has. The zero value is its data folder, and
// its memory.
type engines struct {
	database string // a name on the PostgreSQL server that all tests share
	counters string // value of --counters
	bucket   string // value of --bucket
	objects  string // the folder in which the S3 service keeps the snapshots

	dsn         string   // of a database that is not on that server
	credentials []string // variables for an S3 service that is not the shared one
}

// placedFolders are the data folders whose engines are servers. If onServers is true, every
// other data folder joins them when it is first used.
var placedFolders = struct {
	sync.Mutex
	engines map[string]engines
	made    int
	bucket  string // that all tests share
}{engines: map[string]engines{}}

// fileOnly skips a test of what only a service on files has.
func fileOnly(t *testing.T, reason string) {
	t.Helper()
	if onServers() {
		t.Skip("not on servers: " + reason)
	}
}

// usePostgres puts the database of a data folder on the server that all tests share,
// and returns its name.
func usePostgres(t testing.TB, dir string) (name string) {
	t.Helper()
	return place(t, dir, false).database
}

// enginesOf returns the engines of a data folder.
func enginesOf(t testing.TB, dir string) engines {
	t.Helper()
	if onServers() {
		return place(t, dir, true)
	}
	placedFolders.Lock()
	defer placedFolders.Unlock()
	return placedFolders.engines[dir]
}

// place puts the database of a data folder that is not placed yet on PostgreSQL. If all is
// true, its counters and snapshots are on servers too.
func place(t testing.TB, dir string, all bool) engines {
	t.Helper()
	postgres := enginetest.SharedPostgres(t)
	f := &placedFolders
	f.Lock()
	defer f.Unlock()
	if e, placed := f.engines[dir]; placed {
		return e
	}
	for dir, e := range f.engines { // those of tests that have ended
		if _, err := os.Stat(filepath.Dir(dir)); os.IsNotExist(err) {
			if e.database != "" {
				postgres.Exec(t, "postgres", "DROP DATABASE IF EXISTS "+e.database+" WITH (FORCE)")
			}
			if e.objects != "" {
				os.RemoveAll(e.objects)
			}
			delete(f.engines, dir)
		}
	}
	f.made++
	e := engines{database: fmt.Sprintf("story_%d", f.made)}
	postgres.Exec(t, "postgres", "CREATE DATABASE "+e.database+" OWNER gamedex")
	if all {
		service := enginetest.SharedS3(t)
		if f.bucket == "" {
			f.bucket = service.NewBucket(t)
		}
		e.bucket = fmt.Sprintf("s3://%s/%s?endpoint=%s", f.bucket, e.database, service.URL)
		e.objects = filepath.Join(service.Folder(f.bucket), e.database)
		e.counters = fmt.Sprintf("redis://%s/%d", enginetest.SharedRedis(t).Addr(), f.made)
	}
	f.engines[dir] = e
	return e
}

// environment returns the variables with the engines of a process.
func (e engines) environment(t testing.TB) (variables []string) {
	t.Helper()
	if dsn := e.address(t); dsn != "" {
		variables = append(variables, "GAMEDEX_DATABASE="+dsn)
	}
	variables = append(variables, e.credentials...)
	if e.bucket != "" {
		variables = append(variables, "GAMEDEX_COUNTERS="+e.counters, "GAMEDEX_BUCKET="+e.bucket)
	}
	return variables
}

// address returns the DSN of the database; "" if it is a file.
func (e engines) address(t testing.TB) string {
	t.Helper()
	if e.database == "" {
		return e.dsn
	}
	return enginetest.SharedPostgres(t).OwnDSN(e.database) + "?" + patientCommands
}

// patientCommands lets commands connect to a server that is slow because the machine is
// busy.
const patientCommands = "connect_timeout=20"

// serverDSN returns the DSN of the database of a data folder; "" if it is a file.
func serverDSN(t testing.TB, dir string) string {
	t.Helper()
	return enginesOf(t, dir).address(t)
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
	s.Restore(t, place(t, to, onServers()).database, s.Dump(t, enginesOf(t, from).database))
}

// snapshotsOf opens the bucket of a data folder.
func snapshotsOf(t *testing.T, dir string) node.OpenBucket {
	t.Helper()
	at, err := (&bucketFlag{enginesOf(t, dir).bucket}).bucket(&commands{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	b, err := at.Open(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// copySnapshots copies the snapshots of a data folder, which may be in use, to another
// folder.
func copySnapshots(t *testing.T, from, to string) {
	t.Helper()
	if enginesOf(t, to).bucket == "" {
		if err := os.CopyFS(snapshotFolder(t, to), os.DirFS(snapshotFolder(t, from))); err != nil {
			t.Fatal(err)
		}
		return
	}
	source, copied := snapshotsOf(t, from), snapshotsOf(t, to)
	names, err := buckettest.List(t.Context(), source, "")
	for _, name := range names {
		var blob []byte
		if blob, err = source.Get(t.Context(), name); err == nil {
			err = copied.Put(t.Context(), name, blob)
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// snapshotFolder returns the folder that has the snapshots of a data folder as files. The
// S3 service stores its objects as files too, which are compressed.
func snapshotFolder(t *testing.T, dir string) string {
	t.Helper()
	if e := enginesOf(t, dir); e.bucket != "" {
		return e.objects
	}
	return filepath.Join(dir, "snapshots")
}

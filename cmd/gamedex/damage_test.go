package main

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/buckettest"

	_ "modernc.org/sqlite" // to make a database that is not ours
)

// TestDamagedDatabases checks that the error for a damaged database names the
// file and what to do.
func TestDamagedDatabases(t *testing.T) {
	fileOnly(t, "it damages the file of a database")
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "whole.db")
	must(t, shared.open(t).dir, "", "backup", whole)
	content := read(t, whole)
	for name, harm := range map[string]func(file string){
		"text":          func(file string) { writeFile(t, file, strings.Repeat("nonsense ", 1000)) },
		"truncated":     func(file string) { writeFile(t, file, content[:len(content)/2/4096*4096]) },
		"last page cut": func(file string) { writeFile(t, file, content[:len(content)-1000]) },
		"scribbled": func(file string) {
			b := []byte(content)
			copy(b[4096:], bytes.Repeat([]byte{0xa5}, len(b)-4096))
			writeFile(t, file, string(b))
		},
		"foreign": func(file string) {
			db, err := sql.Open("sqlite", file)
			if err == nil {
				_, err = db.Exec("CREATE TABLE theirs (x)")
				db.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		},
		"a folder": func(file string) {
			if err := os.Mkdir(file, 0o700); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "gamedex.db")
			harm(file)
			for _, args := range [][]string{{"serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0"}, {"import", testFeed}, {"key", "list"}, {"export"}, {"check"}} {
				r := run(t, dir, "", args...)
				if r.status != 1 || !strings.Contains(r.stderr+r.stdout, file) {
					t.Errorf("%v: status %d: %s%s", args, r.status, r.stdout, r.stderr)
				}
				if out := r.stderr; name != "a folder" && !strings.Contains(out, "backup") && !strings.Contains(out, "--data") {
					t.Errorf("%v does not say what to do: %s", args, out)
				}
			}
		})
	}
}

// blobs returns the snapshot files of a data folder.
func blobs(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(snapshotFolder(t, dir), "blob", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no snapshots in %s: %v", dir, err)
	}
	return files
}

// scribble overwrites bytes in the middle of a file.
func scribble(t *testing.T, file string) {
	t.Helper()
	b := []byte(read(t, file))
	for i := len(b) / 2; i < len(b)/2+64; i++ {
		b[i] ^= 0xff
	}
	writeFile(t, file, string(b))
}

// loseCache deletes what a node keeps of the snapshots in an S3 service. It starts without
// the service's copies otherwise.
func loseCache(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, "cache")); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedSnapshots(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	want := everything(s.user(t))
	if out := must(t, s.dir, "", "check"); !strings.Contains(out, "good") || strings.Count(out, "good") < 2 {
		t.Errorf("check prints %q", out)
	}
	s.stop()
	for _, file := range blobs(t, s.dir) {
		scribble(t, file)
	}
	where, remedy := snapshotFolder(t, s.dir), "delete that folder"
	if onServers() {
		where, _, _ = strings.Cut(enginesOf(t, s.dir).bucket, "?")
		remedy = "delete the objects there"
	}
	r := run(t, s.dir, "", "check")
	if r.status != 1 || !strings.Contains(r.stdout, "damaged") || !strings.Contains(r.stderr, where) || !strings.Contains(r.stderr, remedy) {
		t.Errorf("check of damaged snapshots: %+v", r)
	}
	r = run(t, s.dir, "", "check", "--json")
	report := decodedAs[checkReport](t, "gamedex check", r.stdout)
	isDamaged := func(f finding) bool { return f.Part == "snapshot" && f.Status == "damaged" && f.Text != "" }
	if r.status != 1 || report.Good || !slices.ContainsFunc(report.Found, isDamaged) {
		t.Errorf("check --json of damaged snapshots: %+v", r)
	}
	loseCache(t, s.dir)

	// A restart refuses them by name and rebuilds them.
	again := start(t, s.dir)
	u := again.client(s.token)
	compare(t, everything(u), want)
	if log := again.stderr.String(); !strings.Contains(log, "blob/") || !strings.Contains(log, "damaged") {
		t.Errorf("the log does not name the damaged snapshot:\n%s", log)
	}
	must(t, s.dir, "", "check")
}

// TestSnapshotsOfAnotherVersion checks that snapshots of another layout version
// are rebuilt and not reported as damage.
func TestSnapshotsOfAnotherVersion(t *testing.T) {
	fileOnly(t, "an S3 service has blobs compressed, with a checksum")
	t.Parallel()
	s := newShop(t)
	want := everything(s.user(t))
	s.stop()
	for _, file := range blobs(t, s.dir) {
		b := []byte(read(t, file))
		b[8]++ // the layout version
		writeFile(t, file, string(b))
	}
	if out := must(t, s.dir, "", "check"); !strings.Contains(out, "another version") {
		t.Errorf("check prints %q", out)
	}
	u := start(t, s.dir).client(s.token)
	compare(t, everything(u), want)
}

// TestDamagedNewerSnapshotIsNotUsed checks that a damaged newer snapshot is not
// used.
func TestDamagedNewerSnapshotIsNotUsed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	u := s.user(t)
	old := blobs(t, s.dir)
	must(t, s.dir, listing("pcstore", "UA", "n1", "2024-06-01T10:00:00Z", `"slug":"newest"`), "import", "-")
	u.eventually("/catalog/pcstore/games/newest", func(a answer) bool { return a.status == 200 })
	s.stop()
	for _, file := range blobs(t, s.dir) {
		if !strings.Contains(strings.Join(old, " "), file) {
			scribble(t, file)
		}
	}
	loseCache(t, s.dir)
	// Without a builder, only published snapshots are there.
	reader := start(t, s.dir, "--roles", "api")
	u = reader.client(s.token)
	u.get("/catalog/pcstore/games/star-forge").want(200)
	u.get("/catalog/pcstore/games/newest").want(404)
	if log := reader.stderr.String(); !strings.Contains(log, "the last good one stays") || !strings.Contains(log, "blob/") {
		t.Errorf("the log does not name the damaged snapshot:\n%s", log)
	}
	reader.stop()
	u = newUser(t, start(t, s.dir).api, s.token)
	u.eventually("/catalog/pcstore/games/newest", func(a answer) bool { return a.status == 200 })
}

// deleteSnapshots deletes the folder of the snapshots, or all objects in the S3 service.
func deleteSnapshots(t *testing.T, dir string) {
	t.Helper()
	if !onServers() {
		// A server may publish into a folder that is being emptied.
		await.That(t, "the snapshots to be deleted", func() bool { return os.RemoveAll(snapshotFolder(t, dir)) == nil })
		return
	}
	b := snapshotsOf(t, dir)
	names, err := buckettest.List(t.Context(), b, "")
	for _, name := range names {
		err = errors.Join(err, b.Delete(t.Context(), name))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSnapshotsDeletedUnderAServer checks that a server publishes the snapshot again
// when its folder was deleted, serves later changes, and starts again with them.
func TestSnapshotsDeletedUnderAServer(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	u := s.user(t)
	farm := idOf(u, "Moon Farm")
	price := func(amount string) {
		must(t, s.dir, moonFarm("2024-06-01T10:00:0"+amount[:1]+"Z", amount), "import", "-")
	}
	served := func(u *apiUser, amount string) {
		t.Helper()
		u.eventually("/catalog/prices?ids="+farm, valueIs("data.items.0.regions.UA.current", amount))
	}
	for _, amount := range []string{"4200", "5200"} { // twice: the folder that was made is deleted too
		deleteSnapshots(t, s.dir)
		price(amount)
		served(u, amount)
	}
	deleteSnapshots(t, s.dir)
	if !onServers() && !await.Progress(func() bool { // nothing changed; in an S3 service a builder looks every ten minutes
		blobs, err := filepath.Glob(filepath.Join(snapshotFolder(t, s.dir), "blob", "*"))
		return err == nil && len(blobs) >= 2
	}, await.Nothing) {
		t.Error("the snapshot is not published again")
	}
	s.stop()
	again := start(t, s.dir)
	served(newUser(t, again.api, s.token), "5200")
}

func TestTwoServesOnOneDatabase(t *testing.T) {
	fileOnly(t, "several processes may serve there")
	s := shared.open(t)
	r := run(t, s.dir, "", "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0")
	if r.status != 1 || !strings.Contains(r.stderr, filepath.Join(s.dir, "gamedex.db")) || !strings.Contains(r.stderr, "another") {
		t.Errorf("a second serve: %+v", r)
	}
	s.user(t).get("/account/me").want(200)
}

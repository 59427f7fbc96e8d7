package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gamedex/internal/testing/await"
)

// TestKillBuild kills the server while imports run and it builds and publishes.
// It checks that the server comes back with the last snapshot at once, shows
// what was imported, and answers like one that built the same database from
// scratch. Every other kill waits until the builder writes, so that it hits a
// publication.
func TestKillBuild(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	dir := t.TempDir()
	k := newStock(200, "UA", "TR", "PL", "IN")
	if fullWorld() {
		k = newStock(1000, "UA", "TR", "PL", "IN")
	}
	must(t, dir, k.feed(0), "import", "-")
	_, token := newKey(t, dir, unlimited...)
	s := start(t, dir)
	s.waitForVersion(token, k, 0)
	n := kills(t, 30)
	for i := 1; i <= n; i++ {
		file := placed(t, filepath.Join(t.TempDir(), "feed.ndjson"), k.feed(i))
		stopWatching := watchVersions(t, s, token, k)
		importing := begin(t, dir, "import", file)
		when := "at a random time"
		if i%2 == 0 {
			when = waitForWriting(t, dir)
		}
		<-time.After(c.between(0, []time.Duration{2 * time.Second, 20 * time.Millisecond}[(i+1)%2]))
		s.kill()
		stopWatching()
		s.quietLog()
		importing.succeed()
		t.Logf("kill %d, %s; left behind: %s", i, when, countBucketFiles(t, dir))
		s = start(t, dir)
		if status, body := s.get(token, "/api/v1/catalog/pcstore/games/"+slug(0)); status != http.StatusOK {
			t.Fatalf("kill %d: the first answer after a restart is %d %s: the last snapshot was not opened", i, status, body)
		}
		if i%3 == 0 || i == n {
			s.waitForVersion(token, k, i)
			sameAsFresh(t, s, dir, token, k)
		}
	}
	if checked := must(t, dir, "", "check"); strings.Contains(checked, "damaged") {
		t.Errorf("check: %s", checked)
	}
	s.quietLog()
	s.stop()
	if !onServers() { // an S3 service keeps what was replaced for an hour
		wantLeftoversRemoved(t, dir, token, k, n)
	}
}

// watchVersions fails the test if an answer mixes versions or is older than the one before, until the
// returned function is called. It ignores a killed server.
func watchVersions(t *testing.T, s *server, token string, k stock) (done func()) {
	t.Helper()
	ids, latest := k.slugs(10), -1
	return watchPrices(t, s, token, ids, func(r reply) { latest = checkWhole(t, k, r, len(ids), latest) })
}

// watchPrices requests prices again and again until the returned function is called, the server is killed or the test
// has failed, and checks each answer.
func watchPrices(t *testing.T, s *server, token string, ids []string, check func(reply)) (done func()) {
	t.Helper()
	stop := make(chan struct{})
	var watching sync.WaitGroup
	c := clients(t)
	watching.Go(func() {
		for !t.Failed() { // one wrong answer is enough
			select {
			case <-stop:
				return
			case <-s.exited:
				return
			case <-time.After(40 * time.Millisecond): // a wrong snapshot is shown for longer
			}
			if r, err := s.try(c, "POST", token, "/api/v1/catalog/prices", bulkBody(ids)); err == nil {
				check(r)
			}
		}
	})
	return func() { close(stop); watching.Wait() }
}

// checkWhole checks that all games of an answer have one version, not older
// than the latest seen, and returns that version.
func checkWhole(t *testing.T, k stock, r reply, games, latest int) int {
	t.Helper()
	if r.status != http.StatusOK {
		t.Errorf("status %d %.200s", r.status, r.body)
		return latest
	}
	versions := k.versions(t, r.body)
	shown := versions[slug(0)]
	if shown < latest || !allOf(versions, games, shown) {
		t.Errorf("half of an import, or an older one than version %d: %v", latest, versions)
	}
	return shown
}

// waitForWriting waits until the builder begins to write a file, and returns
// what it saw.
func waitForWriting(t *testing.T, dir string) string {
	t.Helper()
	before := bucketFiles(t, dir)
	await.That(t, "a build to write files", func() bool { return bucketFiles(t, dir) != before })
	return "at a write: " + countBucketFiles(t, dir)
}

// bucketFiles returns the names of all files of the bucket. Their number alone may be
// the same after a publication, which also deletes old files.
func bucketFiles(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	for _, folder := range []string{"manifest", "blob", ".tmp"} {
		for _, file := range files(t, dir, folder) {
			names = append(names, file.Name())
		}
	}
	return strings.Join(names, " ")
}

// countBucketFiles counts the files of the bucket other than temporary ones.
func countBucketFiles(t *testing.T, dir string) string {
	t.Helper()
	return fmt.Sprintf("%d manifests, %d blobs, %d temporary",
		len(files(t, dir, "manifest")), len(files(t, dir, "blob")), len(files(t, dir, ".tmp")))
}

func files(t *testing.T, dir, folder string) []os.DirEntry {
	t.Helper()
	found, err := os.ReadDir(filepath.Join(snapshotFolder(t, dir), folder))
	if err != nil && !(onServers() && errors.Is(err, fs.ErrNotExist)) { // folders of an S3 service come with their first file
		t.Fatal(err)
	}
	return found
}

// wantLeftoversRemoved checks that files left by killed builders are removed:
// temporary files at the next start, blobs that no manifest names after further
// builds. It sets their times back first.
func wantLeftoversRemoved(t *testing.T, dir, token string, k stock, version int) {
	t.Helper()
	folder := filepath.Join(dir, "snapshots", ".tmp")
	placed(t, filepath.Join(folder, "0-0-1"), "half a snapshot")
	old := time.Now().Add(-2 * time.Hour)
	for _, file := range files(t, dir, ".tmp") {
		if err := os.Chtimes(filepath.Join(folder, file.Name()), old, old); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, dir)
	if left := files(t, dir, ".tmp"); len(left) > 0 {
		t.Errorf("temporary files of killed builders are left: %v", left)
	}
	for range 6 { // old files are removed once there are more than five manifests
		version++
		must(t, dir, k.feed(version), "import", "-")
		s.waitForVersion(token, k, version)
		if manifests := files(t, dir, "manifest"); manifests[len(manifests)-1].Name() > fmt.Sprintf("%020d", 6) {
			break
		}
	}
	snapshot := 2 + len(k.regions) // catalog, prices, the lows of each region
	if manifests, blobs := len(files(t, dir, "manifest")), len(files(t, dir, "blob")); manifests > 6 || blobs > snapshot*manifests {
		t.Errorf("%d manifests, %d blobs are kept: killed builders' are not removed", manifests, blobs)
	}
}

// TestKillFlush kills the server during traffic. It checks that answered
// requests are soon stored, and that those stored before the kill are counted,
// in the windows and in the history.
func TestKillFlush(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	dir, s := limitServer(t)
	key, token := newKey(t, dir, unlimited...)
	for i := range kills(t, 30) {
		before := usage(t, s, token)
		known := stored(t, dir, key)
		// Slow enough for a thousand kills within the limits of one day.
		load := startTraffic(t, s, token, loadClients, 10*time.Millisecond, limitedRoutes)
		<-time.After(c.between(0, time.Second))
		least := int(load.answered.Load())
		waitStored(t, dir, key, known+2+least) // the two requests of usage since the start may not be among the known ones
		<-time.After(c.between(0, time.Second))
		load.kill(s)
		answered := int(load.answered.Load())
		s.quietLog()
		id, made := newKey(t, dir)
		s = start(t, dir)
		after := usage(t, s, token)
		check := func(what string, before, after, most int) {
			// The requests afterwards are counted too, and one request of each
			// client may have been counted and never answered.
			if got := after - before - 1; got < least || got > most+loadClients {
				t.Errorf("kill %d: %s counts %d of %d requests, want at least the %d that were stored", i, what, got, answered, least)
			}
		}
		check("history", before.Data.History.Last24h, after.Data.History.Last24h, answered)
		if before.Data.Day.ResetAt == after.Data.Day.ResetAt {
			most := answered
			if onServers() { // a call that is too late counts in Redis, and the node reports it again
				most *= 2
			}
			check("day", before.Data.Day.Used, after.Data.Day.Used, most)
		}
		if status, body := s.get(made, "/api/v1/account/me"); status != http.StatusOK {
			t.Errorf("kill %d: key %s, created meanwhile, gets %d %s", i, id, status, body)
		}
		t.Logf("kill %d: %d requests answered, %d surely stored, history counts %d", i, answered, least, after.Data.History.Last24h-before.Data.History.Last24h-1)
	}
	s.quietLog()
}

//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/testing/await"
)

// wantCondition waits until /readyz has a text, the metric says that the condition fails and the
// log has the text once more than before.
func (s *server) wantCondition(name, text string, times int) {
	s.t.Helper()
	await.That(s.t, name+" to fail", func() bool {
		_, ready := fetch(s.t, "GET", s.ops+"/readyz")
		_, metrics := fetch(s.t, "GET", s.ops+"/metrics")
		return strings.Contains(ready, text) && strings.Contains(metrics, `gamedex_condition_failed{condition="`+name+`"} 1`)
	})
	if got := strings.Count(s.stderr.String(), "level=ERROR msg=\""+text); got != times {
		s.t.Errorf("the log has %q %d times, want %d:\n%s", text, got, times, s.stderr)
	}
}

// wantOver waits until what wantCondition found is over.
func (s *server) wantOver(name, text string, times int) {
	s.t.Helper()
	await.That(s.t, name+" to be over", func() bool {
		_, ready := fetch(s.t, "GET", s.ops+"/readyz")
		_, metrics := fetch(s.t, "GET", s.ops+"/metrics")
		return !strings.Contains(ready, text) && strings.Contains(metrics, `gamedex_condition_failed{condition="`+name+`"} 0`)
	})
	if got := strings.Count(s.stderr.String(), "level=INFO msg=\"resolved: "+text); got != times {
		s.t.Errorf("the log has the end of %q %d times, want %d:\n%s", text, got, times, s.stderr)
	}
}

// startWatched starts the service so that the log has its notes.
func startWatched(t *testing.T, dir string, args ...string) *server {
	t.Helper()
	return start(t, dir, append([]string{"--log-level", "info"}, args...)...)
}

// TestEvictionChangesWhileRunning changes the eviction policy of the Redis server of two nodes.
func TestEvictionChangesWhileRunning(t *testing.T) {
	t.Parallel()
	c := newCountingNodes(t, 0)
	for range 2 {
		s := startWatched(t, c.dir, "--counters", "redis://"+c.redis.Addr())
		s.healthy()
		c.all = append(c.all, s)
	}
	for _, policy := range []string{"allkeys-lru", "volatile-lru"} {
		text := c.redis.Addr() + ": maxmemory-policy is " + policy
		c.redis.Ask(t, "CONFIG SET maxmemory-policy "+policy)
		for _, s := range c.all {
			s.wantCondition("counters", "redis://"+text, 1)
		}
		c.redis.Ask(t, "CONFIG SET maxmemory-policy noeviction")
		for _, s := range c.all {
			s.wantOver("counters", "redis://"+text, 1)
		}
		c.together()
	}
}

// TestBucketFolderMovesAway moves the folder of the snapshots away from a process that only
// answers and from its builder, and back.
func TestBucketFolderMovesAway(t *testing.T) {
	fileOnly(t, "it moves a folder")
	t.Parallel()
	s := copyOfShared(t)
	folder := snapshotFolder(t, s.dir)
	reader := startWatched(t, s.dir, "--roles", "api")
	reader.healthy()
	builder := startWatched(t, s.dir, "--roles", "build")
	for times := 1; times <= 2; times++ {
		if err := os.Rename(folder, folder+".away"); err != nil {
			t.Fatal(err)
		}
		reader.wantCondition("bucket", "the folder of the snapshots cannot be read", times)
		builder.wantCondition("bucket", "the folder of the snapshots "+folder+" is gone", times)
		if status, _ := reader.get(s.token, "/api/v1/catalog/search?q=star"); status != 200 {
			t.Errorf("without the folder: status %d", status)
		}
		if err := os.Rename(folder+".away", folder); err != nil {
			t.Fatal(err)
		}
		reader.wantOver("bucket", "the folder of the snapshots cannot be read", times)
		builder.wantOver("bucket", "the folder of the snapshots "+folder+" is gone", times)
	}
}

// TestEnginesFailWhileRunning loses the S3 service of two nodes that build, so that a change cannot be
// published, and then PostgreSQL.
func TestEnginesFailWhileRunning(t *testing.T) {
	d := newDeployment(t)
	k := newStock(10, "UA")
	d.fill(k)
	_, token := newKey(t, d.dir, unlimited...)
	var nodes []*member
	for range 2 {
		m := d.start("api,build", "--log-level", "info")
		m.waitForVersion(token, k, 0)
		nodes = append(nodes, m)
	}
	builds := func(failed string) func() bool {
		return func() bool {
			for _, m := range nodes {
				if _, metrics := fetch(t, "GET", m.ops+"/metrics"); strings.Contains(metrics, `gamedex_condition_failed{condition="build"} 1`) {
					return failed == "one"
				}
			}
			return failed == "none"
		}
	}
	if err := d.s3.Kill(); err != nil {
		t.Fatal(err)
	}
	must(t, d.dir, k.feed(1), "import", "-")
	for _, m := range nodes {
		m.wantCondition("bucket", "the snapshots in s3://", 1)
	}
	await.That(t, "a builder that cannot publish", builds("one"))
	d.s3.Restart(t)
	for _, m := range nodes {
		m.waitForVersion(token, k, 1)
		m.wantOver("bucket", "the snapshots in s3://", 1)
	}
	await.That(t, "no builder to fail", builds("none"))
	if err := d.postgres.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, m := range nodes {
		m.wantCondition("database", "nothing can be saved", 1)
	}
	d.postgres.Restart(t)
	for _, m := range nodes {
		m.wantOver("database", "nothing can be saved", 1)
	}
}

// TestDiskFillsUp fills the disk of the snapshots, and then that of the database, before the
// service writes anything.
func TestDiskFillsUp(t *testing.T) {
	fileOnly(t, "it fills the disk of a database in a file")
	t.Parallel()
	disk, here := smallDisk(t)
	if !here {
		return
	}
	s := copyOfShared(t)
	dir, snapshots := filepath.Join(disk, "data"), filepath.Join(disk, "snapshots")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	copyDatabase(t, s.dir, dir)
	for _, tt := range []struct{ dir, bucket, name, text string }{
		{s.dir, snapshots, "bucket", "the folder of the snapshots " + snapshots},
		{dir, filepath.Join(s.dir, "snapshots"), "data", "the folder " + dir},
	} {
		running := startWatched(t, tt.dir, "--bucket", tt.bucket)
		running.healthy()
		free := fill(t, disk)
		running.wantCondition(tt.name, tt.text+" cannot grow: the disk is full; free some space", 1)
		running.wantCondition("space", "the disk of ", 1)
		free()
		running.wantOver(tt.name, tt.text, 1)
		running.wantOver("space", "the disk of ", 1)
		running.stop()
	}
}

// TestDataFolderOpened opens the data folder to all users while the service runs.
func TestDataFolderOpened(t *testing.T) {
	fileOnly(t, "it opens the database in a file")
	t.Parallel()
	s := copyOfShared(t)
	running := startWatched(t, s.dir)
	file := filepath.Join(s.dir, "gamedex.db")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	running.logs("other users of this machine had access to " + file)
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gamedex/internal/bucket"
	"gamedex/internal/index"
	"gamedex/internal/publish"
	"gamedex/internal/sqldb"
	"gamedex/internal/testing/await"
)

// newestManifest returns the number of the newest snapshot of a data folder, and whether this
// version can read it.
func newestManifest(t *testing.T, dir string) (seq int64, readable bool) {
	t.Helper()
	b := snapshotsOf(t, dir)
	numbers, err := publish.Numbers(t.Context(), b)
	if err != nil || len(numbers) == 0 {
		t.Fatalf("snapshots %v: %v", numbers, err)
	}
	_, err = publish.ReadManifest(t.Context(), b, numbers[0])
	return numbers[0], err == nil
}

// TestServesBesideANewerVersion checks a service beside a bucket in which a newer
// version publishes: it says so and goes on with what it can read.
func TestServesBesideANewerVersion(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	u := s.user(t)
	want := u.get("/catalog/search?q=st").want(200)
	newest := publishNewer(t, s.dir)
	s.readyzSays("ready", "a newer version of gamedex published snapshot")
	must(t, s.dir, listing("consolestore", "UA", "P1", "2026-05-01T10:00:00Z", ""), "import", "-")
	s.readyzSays("ready", "this process builds no snapshots: a newer version of gamedex does")
	if seq, readable := newestManifest(t, s.dir); seq != newest || readable {
		t.Errorf("it published snapshot %d after %d of the newer version", seq, newest)
	}
	if got := u.get("/catalog/search?q=st").want(200); !reflect.DeepEqual(got.at("data"), want.at("data")) {
		t.Errorf("it answers %s, want %s", got.body, want.body)
	}
	if out := must(t, s.dir, "", "check"); !strings.Contains(out, "of another version of gamedex") {
		t.Errorf("check printed %s", out)
	}
}

// publishNewer publishes the newest snapshot again as a newer version does, and returns
// its number. The server under test may be building at the same time. So the manifest comes
// before the number in the database: a builder that reads the bucket after that finds
// it, and one that read the bucket before fails to publish.
func publishNewer(t *testing.T, dir string) (seq int64) {
	t.Helper()
	b := snapshotsOf(t, dir)
	withDB(t, dir, func(ctx context.Context, db *sqldb.DB) error {
		for {
			m, err := publish.Latest(ctx, b, func(error) {})
			if err != nil {
				return err
			}
			seq = m.Seq + 1
			m.Seq, m.Inputs.Format = seq, index.Format+1
			body, err := m.Encode()
			if err != nil {
				return err
			}
			switch err := b.Put(ctx, publish.ManifestName(seq), body); {
			case errors.Is(err, bucket.ErrExists):
				continue
			case err != nil:
				return err
			}
			_, err = db.Nodes.Raise(ctx, seq)
			return err
		}
	})
	return seq
}

// readyzSays waits until /readyz begins and goes on like that.
func (s *server) readyzSays(begins, says string) {
	s.t.Helper()
	var body string
	if !await.Progress(func() bool {
		_, body = fetch(s.t, "GET", s.ops+"/readyz")
		return strings.HasPrefix(body, begins) && strings.Contains(body, says)
	}, await.Nothing) {
		s.t.Errorf("/readyz says %q, want %q and %q\n%s", body, begins, says, s.stderr)
	}
}

// TestUpgradeWhileServing builds a version with the next format of snapshots and the next
// merge version, and lets it take over from this one, process by process, on one
// database and folder while clients send requests.
func TestUpgradeWhileServing(t *testing.T) {
	if !fullWorld() {
		t.Skip("builds the program: set GAMEDEX_WORLD=full")
	}
	newer := nextVersion(t)
	next := func(dir string, args ...string) *exec.Cmd {
		cmd := command(t, dir, args...)
		cmd.Path = newer
		return cmd
	}
	dir := t.TempDir()
	k := newStock(50, "UA")
	must(t, dir, k.feed(1), "import", "-")
	_, token := newKey(t, dir, unlimited...)
	nodes := start(t, dir, "--roles", "api")
	builder := start(t, dir, "--roles", "build")
	nodes.waitForVersion(token, k, 1)
	loaded := load(t, nodes, token)
	// The new version reads what the old one published, and waits.
	if out, err := next(dir, "check").CombinedOutput(); err != nil || !strings.Contains(string(out), ": good") || strings.Contains(string(out), "another version") {
		t.Errorf("the new version checks the old snapshots: %v\n%s", err, out)
	}
	upgraded := startCommand(t, next(dir, append(serveAnywhere, "--roles", "build")...))
	must(t, dir, k.feed(2), "import", "-")
	nodes.waitForVersion(token, k, 2)
	if _, readable := newestManifest(t, dir); !readable {
		t.Fatal("the new version published while the old one built")
	}
	builder.stop()
	nodes.readyzSays("ready", "a newer version of gamedex published snapshot")
	// The old version cannot have the work back.
	upgraded.kill()
	builder = start(t, dir, "--roles", "build")
	builder.logs("this process builds no snapshots: a newer version of gamedex does")
	before, _ := newestManifest(t, dir)
	must(t, dir, k.feed(3), "import", "-")
	startCommand(t, next(dir, append(serveAnywhere, "--roles", "build")...))
	await.Progress(func() bool { seq, _ := newestManifest(t, dir); return seq > before }, await.Nothing)
	if _, readable := newestManifest(t, dir); readable {
		t.Error("the old version published after the new one")
	}
	nodes.waitForVersion(token, k, 2)
	loaded.stop()
	nodes.stop()
	startCommand(t, next(dir, append(serveAnywhere, "--roles", "api")...)).waitForVersion(token, k, 3)
}

// nextVersion builds the next version of the program, which is this one with higher
// numbers, and returns its path.
func nextVersion(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for file, change := range map[string][2]string{
		"internal/index/internal/layout/layout.go": {"const Format = ", "const Format = 1 + "},
		"internal/catalog/merge/group.go":          {"const MergeVersion = ", "const MergeVersion = 1 + "},
		"cmd/gamedex/version.go":                   {`const version = "`, `const version = "1`},
	} {
		path, err := filepath.Abs(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		text := read(t, path)
		if strings.Count(text, change[0]) != 1 {
			t.Fatalf("%s: want %q once", file, change[0])
		}
		replace[path] = filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		writeFile(t, replace[path], strings.Replace(text, change[0], change[1], 1))
	}
	overlay := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, overlay, string(text))
	program := filepath.Join(dir, "gamedex.test") // of tests: it ends with them
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", overlay, "-o", program, ".")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		t.Fatalf("build the next version: %v", err)
	}
	return program
}

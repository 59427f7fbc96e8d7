package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpenDataFolderIsClosed checks that a command closes a data folder that other
// users can read, says so once, and that the service reads everything afterwards.
func TestOpenDataFolderIsClosed(t *testing.T) {
	fileOnly(t, "it has the permissions of a database in a file")
	t.Parallel()
	s := copyOfShared(t)
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(dir, os.DirFS(s.dir)); err != nil { // files 0644, folders 0755
		t.Fatal(err)
	}
	open := []string{"", "gamedex.db", "snapshots"}
	for _, name := range open {
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere := filepath.Join(t.TempDir(), "no")
	first := run(t, elsewhere, "", "--data-dir", dir, "key", "list")
	if first.status != 0 || strings.Count(first.stderr, "other users of this machine had access to") != 1 {
		t.Errorf("first: status %d: %s", first.status, first.stderr)
	}
	for _, name := range open {
		st, err := os.Stat(filepath.Join(dir, name))
		if err != nil || st.Mode()&0o077 != 0 {
			t.Errorf("%q: mode %v, %v", name, st.Mode(), err)
		}
	}
	if again := run(t, elsewhere, "", "--data-dir", dir, "key", "list"); again.status != 0 || again.stderr != "" {
		t.Errorf("again: status %d: %s", again.status, again.stderr)
	}
	running := start(t, dir)
	newUser(t, running.api, s.token).get("/catalog/search?q=star").want(200)
	if strings.Contains(running.stderr.String(), "other users") {
		t.Errorf("serve says it again: %s", running.stderr)
	}
}

// TestOtherFilesAreLeftAlone names by mistake a folder and a file that have nothing to do
// with the service: the command fails, and their permissions stay.
func TestOtherFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	page := filepath.Join(dir, "index.html")
	writeFile(t, page, "<!doctype html>")
	names, elsewhere := []string{dir, page}, filepath.Join(t.TempDir(), "no")
	for _, name := range names {
		if err := os.Chmod(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"key", "list"}, {"--database", "sqlite:" + page, "key", "list"}, {"--database", "sqlite:" + page, "import", testFeed}} {
		if r := run(t, elsewhere, "", append([]string{"--data-dir", dir}, args...)...); r.status != 1 || strings.Contains(r.stderr, "other users") {
			t.Errorf("%q: status %d: %s", args, r.status, r.stderr)
		}
		for _, name := range names {
			if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o755 {
				t.Errorf("after %q: %s has mode %v, %v", args, name, st.Mode(), err)
			}
		}
	}
}

// TestImageExposesTheAPIOnly checks that `docker run -P` publishes the API and not the
// operations listener with its profiler.
func TestImageExposesTheAPIOnly(t *testing.T) {
	t.Parallel()
	var ports []string
	for line := range strings.Lines(read(t, filepath.Join("..", "..", "Dockerfile"))) {
		if rest, found := strings.CutPrefix(line, "EXPOSE "); found {
			ports = append(ports, strings.Fields(rest)...)
		}
	}
	same(t, "exposed ports", ports, "8080")
}

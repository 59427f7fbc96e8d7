package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// cannotOpen has the releases whose programs cannot open today's databases. Those that are not here can: CHANGELOG.md
// says so.
var cannotOpen = []string{"0.1.0"}

// TestUpgradeOfReleases upgrades data folders of released versions to this one with the
// commands of the page, and rolls them back from the backup. The old program is the one
// of the release, built from its commit.
func TestUpgradeOfReleases(t *testing.T) {
	if !fullWorld() {
		t.Skip("builds released programs: set GAMEDEX_WORLD=full")
	}
	fileOnly(t, "it upgrades databases in files")
	t.Parallel()
	for _, release := range released(t) {
		t.Run(filepath.Base(release), func(t *testing.T) {
			t.Parallel()
			upgradeAndRollBack(t, release, programOf(t, release))
		})
	}
}

// programOf builds the program of a release from its commit.
func programOf(t *testing.T, release string) string {
	t.Helper()
	commit := strings.TrimSpace(read(t, filepath.Join(release, "commit")))
	if err := exec.Command("git", "cat-file", "-e", commit).Run(); err != nil {
		t.Skipf("commit %s of %s is not in this checkout: git fetch --unshallow", commit, release)
	}
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c",
		`git -C "$(git rev-parse --show-toplevel)" archive "$1" | tar -x -C "$2"; cd "$2"; CGO_ENABLED=0 go build -trimpath -o gamedex.old ./cmd/gamedex`, "bash", commit, dir)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", commit, err, out)
	}
	return filepath.Join(dir, "gamedex.old")
}

func upgradeAndRollBack(t *testing.T, release, old string) {
	t.Helper()
	m := newMachine(t)
	if err := os.CopyFS(m.dataDir(), os.DirFS(filepath.Join(release, "data"))); err != nil {
		t.Fatal(err)
	}
	m.install("usr/local/bin/gamedex", fmt.Sprintf("exec %q \"$@\"", old))
	m.install("root/gamedex", "")
	keys := readJSON[map[string]string](t, filepath.Join(release, "keys.json"))
	paths := map[string]string{"/catalog/search?q=star&limit=100": "", "/catalog/suggest?q=st": "", "/catalog/exchange-rates": ""}
	m.does("systemctl start gamedex")
	want := data(m.oldUser(keys["active"]), paths)

	if out := m.must("backup.md#Backup", "upgrade.md#Upgrade"); !strings.Contains(out, "gamedex.db: good") {
		t.Errorf("the check after the upgrade prints %q", out)
	}
	u := m.user(keys["active"])
	builtByThis(u, m.dataDir())
	sameAnswers(t, u, release, keys)

	m.does("systemctl stop gamedex")
	out, err := exec.Command(old, "--data-dir", m.dataDir(), "key", "list").CombinedOutput()
	if slices.Contains(cannotOpen, filepath.Base(release)) { // in one sentence
		if err == nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "newer") {
			t.Errorf("the old program says %q to newer data: %v", out, err)
		}
		m.must("upgrade.md#Rollback")
	} else {
		if err != nil {
			t.Errorf("the old program does not open newer data: %v: %s", err, out)
		}
		m.must("upgrade.md#Rollback")
		m.does("systemctl start gamedex")
		compare(t, data(m.oldUser(keys["active"]), paths), want)
	}
	m.must("backup.md#Restore")
	compare(t, data(m.oldUser(keys["active"]), paths), want)
}

// oldUser returns a client of an old version, whose answers are not checked against today's
// reference.
func (m *machine) oldUser(token string) *apiUser {
	m.t.Helper()
	u := &apiUser{m.t, m.base(), token, http.DefaultClient}
	u.eventually("/catalog/suggest?q=st", func(a answer) bool { return a.status == 200 })
	return u
}

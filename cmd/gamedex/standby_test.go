package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gamedex/internal/testing/enginetest"
)

// TestStandbyBuilder puts the builder to sleep, wakes it up after the standby has
// published, and kills it. Each time another builder publishes what changed. The one that
// slept takes nothing back, and nothing that is served is damaged.
func TestStandbyBuilder(t *testing.T) {
	if !fullWorld() {
		t.Skip("in the full world only: it waits for leases to end")
	}
	enginetest.Need(t, "postgres")
	t.Parallel()
	dir := t.TempDir()
	usePostgres(t, dir)
	k := newStock(200, "UA", "TR", "PL", "IN")
	must(t, dir, k.feed(0), "import", "-")
	_, token := newKey(t, dir, unlimited...)
	folder := []string{"--bucket", filepath.Join(dir, "snapshots")}
	builders := []*server{start(t, dir, append(folder, "--roles", "build")...)}
	s := start(t, dir, append(folder, "--roles", "api")...)
	s.waitForVersion(token, k, 0) // by the first builder: there is no other
	builders = append(builders, start(t, dir, append(folder, "--roles", "build")...))
	watched := watchVersions(t, s, token, k) // none goes back, none is mixed
	builds := func(i int) float64 { return builders[i].metric("gamedex_builds_total") }
	first, second := builds(0), builds(1)
	if first < 1 || second != 0 {
		t.Errorf("the builder has published %v, its standby %v", first, second)
	}

	sendSignal(t, builders[0], syscall.SIGSTOP)
	must(t, dir, k.feed(1), "import", "-")
	s.waitForVersion(token, k, 1)
	if now := builds(1); now < 1 {
		t.Errorf("the standby has published %v snapshots", now)
	}
	sendSignal(t, builders[0], syscall.SIGCONT)
	must(t, dir, k.feed(2), "import", "-")
	s.waitForVersion(token, k, 2)
	if now := builds(0); now != first {
		t.Errorf("the builder that slept has published %v more snapshots; another one holds the lease", now-first)
	}

	builders[1].kill()
	must(t, dir, k.feed(3), "import", "-")
	s.waitForVersion(token, k, 3)
	if now := builds(0); now <= first {
		t.Error("the builder that slept does not go on when it is the only one")
	}
	watched()
	if out := must(t, dir, "", append([]string{"check"}, folder...)...); strings.Contains(out, "damaged") {
		t.Errorf("check: %s", out)
	}
	if status, body := s.get(token, "/api/v1/account/me"); status != http.StatusOK {
		t.Errorf("status %d %s", status, body)
	}
}

// sendSignal signals the process of a service.
func sendSignal(t *testing.T, s *server, sent syscall.Signal) {
	t.Helper()
	if err := s.process.Signal(sent); err != nil {
		t.Fatal(err)
	}
}

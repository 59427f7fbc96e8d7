package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gamedex/internal/testing/await"
)

// unlimited sets the limits of keys that campaigns use.
var unlimited = []string{"--limit-minute", "262143", "--limit-day", "4194303"}

// begin starts a command in the background.
func begin(t *testing.T, dir string, args ...string) *background {
	t.Helper()
	b := &background{t: t, cmd: command(t, dir, args...), out: &await.Text{}, ended: make(chan struct{})}
	b.cmd.Stdout, b.cmd.Stderr = b.out, b.out
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		b.cmd.Wait()
		close(b.ended)
	}()
	t.Cleanup(func() { b.killAfter(0) })
	return b
}

// background is a command that runs beside the test.
type background struct {
	t     *testing.T
	cmd   *exec.Cmd
	out   *await.Text
	ended chan struct{}
}

// killAfter kills the command after a while and reports whether it was still
// running.
func (b *background) killAfter(d time.Duration) (killed bool) {
	select {
	case <-b.ended:
	case <-time.After(d):
		b.cmd.Process.Kill()
		<-b.ended
	}
	return !b.cmd.ProcessState.Exited()
}

// succeed waits until the command ends, and fails the test unless it succeeds.
func (b *background) succeed() {
	b.t.Helper()
	select {
	case <-b.ended:
	case <-time.After(await.Patience):
		b.t.Fatalf("%v does not end: %s", b.cmd.Args[1:], b.out)
	}
	if !b.cmd.ProcessState.Success() {
		b.t.Fatalf("%v: %v: %s", b.cmd.Args[1:], b.cmd.ProcessState, b.out)
	}
}

// rowKey names a listing.
type rowKey struct{ Platform, Region, Product string }

// exported returns the content of a database: the exported line of each
// listing. A database that does not exist yet is empty.
func exported(t *testing.T, dir string) map[rowKey]string {
	t.Helper()
	r := run(t, dir, "", "export")
	if r.status != 0 {
		if strings.Contains(r.stderr, "there is none") {
			return nil
		}
		t.Fatalf("export: %s", r.stderr)
	}
	return rowsOf(t, r.stdout)
}

// rowsOf returns lines of a feed or a history by what they are about.
func rowsOf(t *testing.T, text string) map[rowKey]string {
	t.Helper()
	rows := map[rowKey]string{}
	for line := range strings.Lines(text) {
		rows[decoded[rowKey](t, line)] = line
	}
	return rows
}

// wholeBatches compares a database after an interrupted import with its content
// before and after the whole import. It returns how many batches were
// committed, and checks that they are whole and the first ones.
func wholeBatches(t *testing.T, order []rowKey, batch int, before, after, got map[rowKey]string) int {
	t.Helper()
	committed := 0
	for _, key := range order {
		if got[key] == after[key] {
			committed++
			continue
		}
		break
	}
	if committed%batch != 0 && committed != len(order) {
		t.Fatalf("%d listings of the import are stored: no whole number of batches", committed)
	}
	want := maps.Clone(before)
	for _, key := range order[:committed] {
		if want == nil {
			want = map[rowKey]string{}
		}
		want[key] = after[key]
	}
	sameRows(t, got, want)
	return committed / batch
}

func sameRows(t *testing.T, got, want map[rowKey]string) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for key, line := range want {
		if got[key] != line {
			t.Fatalf("%d listings stored, want %d; %v is\n%q, want\n%q", len(got), len(want), key, got[key], line)
		}
	}
	t.Fatalf("%d listings stored, want %d", len(got), len(want))
}

// comparedPaths are requested from a server that went through kills and from
// one that built the same database from scratch.
func comparedPaths(k stock) []string {
	paths := []string{
		"/catalog/exchange-rates", "/catalog/suggest?q=ga", "/catalog/pcstore/games/none",
		"/catalog/search?q=game&limit=100&includeRelated=1", "/catalog/search?q=game&limit=100&offset=100&platform=consolestore",
		"/catalog/prices?regions=all&include=url,meta,image&ids=" + strings.Join(k.slugs(2*max(1, k.games/100)), ","),
	}
	for game := 0; game < k.games; game += 1 + k.games/10 {
		paths = append(paths, fmt.Sprintf("/catalog/pcstore/games/%s", slug(game)),
			fmt.Sprintf("/catalog/search?q=EP0000-PPSA%05d_00-GAME%012d", game, game))
	}
	return paths
}

// sameAsFresh compares a server with a fresh one on a copy of its database:
// same answers, same entity tags.
func sameAsFresh(t *testing.T, s *server, dir, token string, k stock) {
	t.Helper()
	other := t.TempDir()
	copyDatabase(t, dir, other)
	fresh := start(t, other)
	defer fresh.stop()
	fresh.healthy()
	c := clients(t)
	for _, path := range comparedPaths(k) {
		a, errA := s.try(c, "GET", token, "/api/v1"+path, "")
		b, errB := fresh.try(c, "GET", token, "/api/v1"+path, "")
		if errA != nil || errB != nil {
			t.Fatalf("%s: %v, %v", path, errA, errB)
		}
		if a.status != b.status || a.header.Get("ETag") != b.header.Get("ETag") || withoutMeta(t, a.body) != withoutMeta(t, b.body) {
			t.Errorf("%s: %d %s %.300s; a fresh build of the same database answers %d %s %.300s", path,
				a.status, a.header.Get("ETag"), a.body, b.status, b.header.Get("ETag"), b.body)
		}
	}
}

// withoutMeta removes what changes with every request.
func withoutMeta(t *testing.T, body string) string {
	t.Helper()
	fields := decoded[map[string]any](t, body)
	delete(fields, "meta")
	text, err := json.Marshal(fields)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// shows reports whether all games of a bulk answer are of this version.
func (k stock) shows(t *testing.T, body string, games, version int) bool {
	t.Helper()
	return allOf(k.versions(t, body), games, version)
}

// allOf reports whether all of so many games are of one version.
func allOf(versions map[string]int, games, version int) bool {
	for _, v := range versions {
		if v != version {
			return false
		}
	}
	return len(versions) == games
}

// waitForVersion waits until the server shows one version of the whole stock.
// That may take a minute: a builder pauses for nine times as long as it worked.
func (s *server) waitForVersion(token string, k stock, version int) {
	s.t.Helper()
	ids := k.slugs(2 * max(1, k.games/100))
	path := "/api/v1/catalog/prices?regions=all&ids=" + strings.Join(ids, ",")
	s.waitFor(token, path, func(status int, body string) bool {
		return status == http.StatusOK && k.shows(s.t, body, len(ids), version)
	})
}

// quietLog fails the test if the server logged an error. A task that a database answers too
// late on a busy machine is tried again; a request or page that failed is an error.
func (s *server) quietLog() {
	s.t.Helper()
	log := s.stderr.String()
	for line := range strings.Lines(log) {
		again := strings.Contains(line, "tried again") || strings.Contains(line, "; retrying")
		late := strings.Contains(line, "context deadline exceeded") || strings.Contains(line, "lease lost")
		if again && late {
			continue
		}
		if strings.Contains(line, "level=ERROR") || strings.Contains(line, "panic") {
			s.t.Errorf("the server logged errors:\n%s", log)
			return
		}
	}
}

package main

import (
	"io"
	"net/http"
	"testing"
	"time"
)

// TestAnswersShowWholeImports sends requests without pause while imports of three batches
// each change every price, some with pauses in which a builder might start. It
// checks that every answer shows one version and that none is older than the
// one before it.
func TestAnswersShowWholeImports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const games = 900
	k := newStock(games, "UA", "TR", "PL", "IN")
	must(t, dir, k.feed(0), "import", "-")
	_, token := newKey(t, dir, unlimited...)
	s := start(t, dir)
	s.waitForVersion(token, k, 0)
	for range 3 {
		defer watchVersions(t, s, token, k)()
	}
	last := 2
	if fullWorld() {
		last = 4
	}
	for version := 1; version <= last; version++ {
		pause := time.Duration(version%2) * 700 * time.Millisecond
		importSlowly(t, dir, pause, k.part(0, games/3, version), k.part(games/3, games/3*2, version), k.part(games/3*2, games, version))
		s.waitForVersion(token, k, version)
	}
}

// importSlowly feeds the parts to one import, with pauses between them.
func importSlowly(t *testing.T, dir string, pause time.Duration, parts ...string) {
	t.Helper()
	in, feed := io.Pipe()
	cmd := command(t, dir, "import", "-")
	cmd.Stdin = in
	go func() {
		for _, part := range parts {
			io.WriteString(feed, part)
			time.Sleep(pause)
		}
		feed.Close()
	}()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("import: %v: %s", err, out)
	}
}

// TestAnswersShowWholeGames imports one game after another, all regions of each in one
// small file. It checks that no answer, of prices or of the card, mixes two
// versions of one game.
func TestAnswersShowWholeGames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := newStock(20, "UA", "TR", "PL", "IN", "US", "DE", "JP", "KZ", "GB", "FR", "ES", "IT")
	must(t, dir, k.feed(0), "import", "-")
	_, token := newKey(t, dir, unlimited...)
	s := start(t, dir)
	s.waitForVersion(token, k, 0)
	c := clients(t)
	ids := k.slugs(2)
	for version := 1; version <= 2; version++ {
		for game := 0; game < k.games; game += 2 {
			importing := begin(t, dir, "import", placed(t, dir+"/one.ndjson", k.part(game, game+1, version)))
			for range 10 {
				r, err := s.try(c, "POST", token, "/api/v1/catalog/prices", bulkBody(ids))
				if err != nil || r.status != http.StatusOK || len(k.versions(t, r.body)) != len(ids) {
					t.Fatalf("%v, status %d %.300s", err, r.status, r.body)
				}
			}
			importing.succeed()
		}
	}
	s.waitForVersion(token, k, 2)
}

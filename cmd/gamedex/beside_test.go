package main

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"gamedex/internal/testing/await"
)

// load keeps a server busy. Its clients send at most 3,000 requests a second together: the highest limit of a key is
// 262,143 a minute.
func load(t *testing.T, s *server, token string) *steadyLoad {
	t.Helper()
	return startTraffic(t, s, token, 6, 2*time.Millisecond, limitedRoutes)
}

// refused sends requests with a key until one is refused with a code. Every
// answer is either good or that refusal.
func refused(t *testing.T, s *server, token string, status int, code string) {
	t.Helper()
	c := clients(t)
	var r reply
	if !await.Progress(func() bool {
		var err error
		if r, err = s.try(c, "GET", token, "/api/v1/account/me", ""); err != nil {
			t.Fatal(err)
		}
		return r.status != http.StatusOK
	}, await.Nothing) || r.status != status || r.failure(t).Error.Code != code {
		t.Fatalf("after the command the answer is %d %.200s, want %s", r.status, r.body, code)
	}
}

// TestKeyChangesUnderLoad changes keys from the command line while the server is
// busy and an import runs. It checks that a new key works at once and that
// every change comes into force.
func TestKeyChangesUnderLoad(t *testing.T) {
	t.Parallel()
	dir, s := limitServer(t)
	_, busy := newKey(t, dir, unlimited...)
	load(t, s, busy)
	k := newStock(1500, "UA", "TR", "PL", "IN")
	importing := begin(t, dir, "import", placed(t, dir+"/beside.ndjson", k.feed(1)))
	for i := range 2 {
		id, token := newKey(t, dir, "--limit-minute", "100000")
		if status, body := s.get(token, "/api/v1/account/me"); status != http.StatusOK {
			t.Fatalf("key %d: the first answer is %d %s", i, status, body)
		}
		must(t, dir, "", "key", "suspend", id)
		refused(t, s, token, http.StatusForbidden, "KEY_SUSPENDED")
		must(t, dir, "", "key", "resume", id)
		s.waitFor(token, "/api/v1/account/me", func(status int, _ string) bool { return status == http.StatusOK })
		must(t, dir, "", "key", "revoke", id)
		refused(t, s, token, http.StatusForbidden, "KEY_REVOKED")
	}
	importing.succeed()
	s.quietLog()
}

// TestConcurrentWritingCommands runs several writing commands at the same time.
// None may fail because another one has locked the database.
func TestConcurrentWritingCommands(t *testing.T) {
	t.Parallel()
	dir, s := limitServer(t)
	_, busy := newKey(t, dir, unlimited...)
	load(t, s, busy)
	k := newStock(1000, "UA", "TR", "PL", "IN")
	var commands []*background
	for i := range 3 {
		file := placed(t, fmt.Sprintf("%s/%d.ndjson", dir, i), k.part(i*300, (i+1)*300+100, 1+i))
		commands = append(commands, begin(t, dir, "import", file))
		for range 2 {
			commands = append(commands, begin(t, dir, "key", "create", "--name", "beside"))
		}
		commands = append(commands, begin(t, dir, "check"))
		if !onServers() {
			commands = append(commands, begin(t, dir, "backup", fmt.Sprintf("%s/backup-%d.db", dir, i)))
		}
	}
	for _, c := range commands {
		c.succeed()
	}
	s.quietLog()
}

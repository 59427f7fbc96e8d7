package main

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// load keeps some clients asking with a key until the returned function is
// called. Every answer must be good.
func load(t *testing.T, s *server, token string) (done func()) {
	t.Helper()
	var stop atomic.Bool
	var asking sync.WaitGroup
	c := clients(t)
	for client := range 6 {
		asking.Go(func() {
			for i := client; !stop.Load(); i++ {
				r, err := s.try(c, "GET", token, limitedRoutes[i%len(limitedRoutes)], "")
				if err != nil || r.status == http.StatusTooManyRequests || r.status >= http.StatusInternalServerError {
					t.Errorf("load: %v %d %.200s", err, r.status, r.body)
				}
			}
		})
	}
	return func() { stop.Store(true); asking.Wait() }
}

// refusedWithin asks with a key until it is refused with a code, and wants that
// within two seconds. Before and after there is no third kind of answer.
func refusedWithin(t *testing.T, s *server, token string, status int, code string) {
	t.Helper()
	c := clients(t)
	for began := time.Now(); ; {
		r, err := s.try(c, "GET", token, "/api/v1/account/me", "")
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		if r.status == status {
			if got := r.failure(t).Error.Code; got != code {
				t.Errorf("code %s, want %s", got, code)
			}
			t.Logf("%s after %v", code, took.Round(time.Millisecond))
			return
		}
		if r.status != http.StatusOK || took > 2*time.Second {
			t.Fatalf("%v after the command the answer is %d %.200s, want %s", took, r.status, r.body, code)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestKeysBesideLoad changes keys by the command line while the server is busy
// and an import runs: a new key works at once, and what is done to one is in
// force within two seconds.
func TestKeysBesideLoad(t *testing.T) {
	dir, s := limitServer(t)
	_, busy := newKey(t, dir, unlimited...)
	defer load(t, s, busy)()
	k := newStock(1500, "UA", "TR", "PL", "IN")
	importing := begin(t, dir, "import", placed(t, dir+"/beside.ndjson", k.feed(1)))
	for i := range 2 {
		id, token := newKey(t, dir, "--limit-minute", "100000")
		if status, body := s.get(token, "/api/v1/account/me"); status != http.StatusOK {
			t.Fatalf("key %d: the first answer is %d %s", i, status, body)
		}
		must(t, dir, "", "key", "suspend", id)
		refusedWithin(t, s, token, http.StatusForbidden, "KEY_SUSPENDED")
		must(t, dir, "", "key", "resume", id)
		s.waitFor(token, "/api/v1/account/me", func(status int, _ string) bool { return status == http.StatusOK })
		must(t, dir, "", "key", "revoke", id)
		refusedWithin(t, s, token, http.StatusForbidden, "KEY_REVOKED")
	}
	importing.succeed()
	s.quietLog()
}

// TestManyCommandsBesideLoad runs commands that write at the same time. None
// may fail because another holds the database.
func TestManyCommandsBesideLoad(t *testing.T) {
	dir, s := limitServer(t)
	_, busy := newKey(t, dir, unlimited...)
	defer load(t, s, busy)()
	k := newStock(1000, "UA", "TR", "PL", "IN")
	var commands []*background
	for i := range 3 {
		file := placed(t, fmt.Sprintf("%s/%d.ndjson", dir, i), k.part(i*300, (i+1)*300+100, 1+i))
		commands = append(commands, begin(t, dir, "import", file))
		for range 2 {
			commands = append(commands, begin(t, dir, "key", "create", "--name", "beside"))
		}
		commands = append(commands, begin(t, dir, "backup", fmt.Sprintf("%s/backup-%d.db", dir, i)), begin(t, dir, "check"))
	}
	for _, c := range commands {
		c.succeed()
	}
	s.quietLog()
}

package shared_test

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gamedex/internal/account"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

const ann = "ann@example.com"

var home = netip.MustParseAddr("203.0.113.7")

// throttlesOn opens throttles of several nodes on a server.
func throttlesOn(t *testing.T, server *enginetest.Redis, n int) []*account.Throttle {
	t.Helper()
	var list []*account.Throttle
	for _, s := range nodesOn(t, "redis://"+server.Addr(), n, open) {
		list = append(list, account.NewThrottle(s))
	}
	return list
}

func now() int64 { return time.Now().UnixMilli() }

// TestTriesOverNodes checks that nodes count tries together, and for how long.
func TestTriesOverNodes(t *testing.T) {
	server := enginetest.NewRedis(t)
	nodes := throttlesOn(t, server, 3)
	admitted, began := 0, time.Now()
	for i := range 30 {
		wait := nodes[i%3].Admit(ann, home, false, now())
		if wait == 0 {
			admitted++
		} else if wait > 15*time.Minute || wait < 15*time.Minute-time.Since(began)-time.Second {
			t.Errorf("try %d waits %v", i, wait)
		}
	}
	if admitted != 5 {
		t.Errorf("%d of 30 tries admitted, want 5", admitted)
	}
	nodes[1].GiveBack(ann, home, false, now())
	if nodes[2].Admit(ann, home, false, now()) != 0 || nodes[0].Admit(ann, home, false, now()) == 0 {
		t.Error("a try that was given back on one node is not there on another, or twice")
	}
	nodes[2].Succeeded(ann, home, false, now())
	for i := range 6 {
		if wait := nodes[0].Admit(ann, home, false, now()); (wait == 0) != (i < 5) {
			t.Errorf("try %d after somebody signed in on another node: waits %v", i, wait)
		}
	}
}

// TestWindowsOfTriesExpire checks that the server forgets windows when they
// end, and that a window which cannot end locks nobody out.
func TestWindowsOfTriesExpire(t *testing.T) {
	server := enginetest.NewRedis(t)
	s := open(t, config(t, "redis://"+server.Addr()))
	window := []account.TryWindow{{Name: "w", Limit: 2, Span: time.Hour}}
	take := func() time.Duration {
		t.Helper()
		wait, err := s.CountTries(window, 1)
		must(t, err)
		return wait
	}
	const name = "gamedex:tries:{signin}:w"
	began := time.Now()
	passed := func() time.Duration { return time.Since(began) + time.Second }
	for range 2 {
		if wait := take(); wait != 0 {
			t.Errorf("waits %v", wait)
		}
		if ttl, err := strconv.Atoi(server.Ask(t, "PTTL "+name)); err != nil || ttl > 3_600_000 || ttl < 3_600_000-int(passed().Milliseconds()) {
			t.Errorf("the window ends in %d ms, %v", ttl, err)
		}
	}
	began = time.Now()
	server.Ask(t, "PEXPIRE "+name+" 1800000")
	if wait := take(); wait > 30*time.Minute || wait < 30*time.Minute-passed() {
		t.Errorf("half an hour before the end: waits %v", wait)
	}
	for _, impossible := range []string{"PERSIST " + name, "PEXPIRE " + name + " 86400000"} {
		server.Ask(t, "SET "+name+" 2")
		server.Ask(t, impossible)
		if wait := take(); wait != 0 {
			t.Errorf("%s: waits %v", impossible, wait)
		}
	}
	if _, err := s.CountTries(window, -100); err != nil || server.Ask(t, "EXISTS "+name) != "0" {
		t.Errorf("a window without tries is kept: %v", err)
	}
}

// TestTriesAtOnce checks that nodes that try at the same time admit no more than one would.
func TestTriesAtOnce(t *testing.T) {
	nodes := throttlesOn(t, enginetest.NewRedis(t), 2)
	var passed atomic.Int64
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			if nodes[i%2].Admit(ann, netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), false, now()) == 0 {
				passed.Add(1)
			}
		})
	}
	all.Wait()
	if passed.Load() != 50 {
		t.Errorf("%d of 100 tries for one account passed, want 50", passed.Load())
	}
}

// TestTriesAgainstMemory checks that several nodes together admit what one alone would.
func TestTriesAgainstMemory(t *testing.T) {
	server := enginetest.NewRedis(t)
	nodes := throttlesOn(t, server, 2)
	var round atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		alone, at := account.NewThrottle(nil), now()
		person := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g"})
		// Addresses differ in each round: nothing of an earlier one counts.
		network := round.Add(1)
		for i := range rapid.IntRange(1, 80).Draw(t, "steps") {
			one := nodes[rapid.IntRange(0, 1).Draw(t, "node")]
			email := fmt.Sprintf("%s%d@example.com", person.Draw(t, "email"), network)
			addr := netip.AddrFrom4([4]byte{10, byte(network >> 8), byte(network), byte(rapid.IntRange(0, 2).Draw(t, "address"))})
			known := rapid.IntRange(0, 3).Draw(t, "known") == 0
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				alone.GiveBack(email, addr, known, at)
				one.GiveBack(email, addr, known, at)
			case 1:
				alone.Succeeded(email, addr, known, at)
				one.Succeeded(email, addr, known, at)
			case 2:
				want, got := alone.Allow("link", addr, 3, time.Hour, at), one.Allow("link", addr, 3, time.Hour, at)
				if (want == 0) != (got == 0) {
					t.Fatalf("step %d: allowed after %v, alone %v", i, got, want)
				}
			default:
				want, got := alone.Admit(email, addr, known, at), one.Admit(email, addr, known, at)
				if (want == 0) != (got == 0) {
					t.Fatalf("step %d: admitted after %v, alone %v", i, got, want)
				}
			}
		}
	})
}

// TestTriesWithoutTheServer checks that a node goes on with the tries that it has seen,
// and counts together again when the server is back.
func TestTriesWithoutTheServer(t *testing.T) {
	server := enginetest.NewRedis(t)
	s := open(t, config(t, "redis://"+server.Addr()))
	th := account.NewThrottle(s)
	try := func() bool { return th.Admit(ann, home, false, now()) == 0 }
	for range 3 {
		try()
	}
	must(t, server.Kill())
	for i := range 4 {
		if try() != (i < 2) {
			t.Errorf("try %d without the server: admitted %v", 4+i, i >= 2)
		}
	}
	if !s.Alone() || s.Outages() != 1 || s.OwnDecisions() != 4 {
		t.Errorf("alone: %v, outages %d, own decisions %d", s.Alone(), s.Outages(), s.OwnDecisions())
	}
	server.Restart(t)
	await.That(t, "the server", func() bool { return !s.Alone() })
	if !try() { // it has lost its memory
		t.Error("refused by an empty server")
	}
}

// TestNamesOfTriesTellNothing checks that the server does not get addresses.
func TestNamesOfTriesTellNothing(t *testing.T) {
	server := enginetest.NewRedis(t)
	throttlesOn(t, server, 1)[0].Admit(ann, home, false, now())
	for range 200 {
		name := server.Ask(t, "RANDOMKEY")
		if !strings.HasPrefix(name, "gamedex:tries:{signin}:") || strings.Contains(name, "ann") || strings.Contains(name, "203") {
			t.Errorf("the server has the key %s", name)
		}
	}
}

package shared_test

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/quota"
	"gamedex/internal/quota/shared"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/porttest"
)

// nodesOn opens nodes that know of each other.
func nodesOn(t *testing.T, address string, n int, open func(testing.TB, shared.Config) *shared.Shared) []*shared.Shared {
	t.Helper()
	cfg := config(t, address)
	cfg.Nodes = func() int { return n }
	list := make([]*shared.Shared, n)
	for i := range list {
		list[i] = open(t, cfg)
	}
	return list
}

// spend takes requests from a node until it refuses one, and returns how many passed.
func spend(t *testing.T, s *shared.Shared, keyID string, l quota.Limits, o quota.Owner) (passed int) {
	t.Helper()
	for {
		d := takeOwned(t, s, keyID, l, o)
		if d.Minute.Used > l.Minute || d.Day.Used > l.Day || d.Minute.Remaining < 0 || d.Day.Remaining < 0 {
			t.Fatalf("impossible windows: %+v", d)
		}
		if !d.Allowed {
			if d.Exhausted == quota.ExhaustedNone || d.RetryAfter < 1 || d.Window().Remaining != 0 {
				t.Errorf("refused without a reason: %+v", d)
			}
			return passed
		}
		passed++
	}
}

func alone(list []*shared.Shared, want bool) func() bool {
	return func() bool {
		for _, s := range list {
			if s.Alone() != want {
				return false
			}
		}
		return true
	}
}

// TestAKilledServer kills the server, which loses its memory: the nodes share what was
// left, and the server knows everything once it is back.
func TestAKilledServer(t *testing.T) {
	calmDay(t)
	server := enginetest.NewRedis(t)
	nodes := nodesOn(t, "redis://"+server.Addr(), 3, open)
	l, o := quota.Limits{Minute: 1000, Day: 100}, quota.Owner{ID: "usr", Limits: quota.Limits{Minute: 1000, Day: 1000}}
	for range 10 {
		for _, s := range nodes {
			takeOwned(t, s, "key", l, o)
		}
	}
	must(t, server.Kill())
	passed := 0
	for i, s := range nodes {
		granted := spend(t, s, "key", l, o)
		if known := 28 + i; granted != (100-known+2)/3 { // the last answer that it got
			t.Errorf("node %d allowed %d of the %d that were left", i, granted, 100-known)
		}
		if !s.Alone() {
			t.Error("the node does not say that it is alone")
		}
		passed += granted
	}
	server.Restart(t)
	await.That(t, "the server", alone(nodes, false))
	l.Day = 1000
	// The server begins with what the first node to ask it knew, 28 to 30 requests. A node
	// that asks the server again may still be reporting what it granted.
	least := 28 + passed
	await.That(t, "the grants", func() bool {
		d, err := nodes[0].Look(t.Context(), "key", l, o, time.Now().UnixMilli())
		return err == nil && d.Day.Used >= least
	})
	d := takeOwned(t, nodes[0], "key", l, o)
	used, ofOwner := d.Day.Used, 1000-d.Day.Remaining
	if min(used, ofOwner) <= least || max(used, ofOwner) > least+3 {
		t.Errorf("after the outage: %+v, want %d to %d used by the key, and as many by its owner", d, least+1, least+3)
	}
	for i, s := range nodes {
		if d := takeOwned(t, s, "key", l, o); d.Day.Used != used+1+i {
			t.Errorf("node %d after the outage: %+v, want %d used", i, d, used+1+i)
		}
	}
}

// TestGrantsOfIdleKeysReachTheServer checks that what was granted to a key is reported to
// the server though nobody uses the key any more.
func TestGrantsOfIdleKeysReachTheServer(t *testing.T) {
	calmDay(t)
	server := enginetest.NewRedis(t)
	nodes := nodesOn(t, "redis://"+server.Addr(), 2, openHasty)
	l := quota.Limits{Minute: 1000, Day: 1000}
	must(t, server.Freeze())
	for _, key := range []string{"first", "second", "third"} {
		take(t, nodes[0], key, l)
	}
	must(t, server.Thaw())
	await.That(t, "the grants", func() bool {
		d, err := nodes[1].Look(t.Context(), "third", l, quota.Owner{}, time.Now().UnixMilli())
		return err == nil && d.Day.Used == 1
	})
	await.That(t, "the server", alone(nodes, false))
}

// TestSharesWhileGrantsAreReported checks that a node does not allow its share again while a
// call is under way that reports to the server what it has granted.
func TestSharesWhileGrantsAreReported(t *testing.T) {
	calmDay(t)
	server := enginetest.NewRedis(t)
	s := nodesOn(t, "redis://"+server.Addr(), 2, open)[0]
	must(t, server.Kill())
	l := quota.Limits{Minute: 1000, Day: 20}
	take(t, s, "key", l)
	passed := 1
	s.Reporting("key", func() {
		take(t, s, "key", l)
		s.Reporting("key", func() { passed += 1 + spend(t, s, "key", l, quota.Owner{}) })
	})
	if passed += spend(t, s, "key", l, quota.Owner{}); passed != 10 {
		t.Errorf("%d requests passed, want the share of 10", passed)
	}
	server.Restart(t)
	await.That(t, "the grants", func() bool {
		d, err := s.Look(t.Context(), "key", l, quota.Owner{}, time.Now().UnixMilli())
		return err == nil && !s.Alone() && d.Day.Used == 10
	})
}

// TestAFrozenServer freezes the server under many callers. All get an answer, and no
// request is forgotten. How many are counted twice depends on how many calls are late.
func TestAFrozenServer(t *testing.T) {
	calmDay(t)
	server := enginetest.NewRedis(t)
	nodes := nodesOn(t, "redis://"+server.Addr(), 2, openHasty)
	l := quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay}
	var passed atomic.Int64
	frozen := make(chan struct{})
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			for after := 0; after < 20; {
				if take(t, nodes[i%2], "key", l).Allowed {
					passed.Add(1)
				}
				select {
				case <-frozen:
					after++
				default:
				}
			}
		})
	}
	await.That(t, "requests", func() bool { return passed.Load() > 1000 })
	must(t, server.Freeze())
	close(frozen)
	all.Wait()
	if !alone(nodes, true)() {
		t.Error("the nodes do not say that they are alone")
	}
	must(t, server.Thaw())
	await.That(t, "all requests to be counted", func() bool {
		d, err := nodes[0].Look(t.Context(), "key", l, quota.Owner{}, time.Now().UnixMilli())
		return err == nil && alone(nodes, false)() && int64(d.Day.Used) >= passed.Load()
	})
}

// TestWindowsInsideAnOutage checks that in each window that begins and ends without the
// server at most limit + nodes - 1 requests pass.
func TestWindowsInsideAnOutage(t *testing.T) {
	server := enginetest.NewRedis(t)
	var node clock
	node.millis.Store(time.Now().UnixMilli())
	cfg := config(t, "redis://"+server.Addr())
	cfg.Now, cfg.Nodes = node.now, func() int { return 3 }
	var nodes [3]*shared.Shared
	l := quota.Limits{Minute: 10, Day: 1_000_000}
	for i := range nodes {
		nodes[i] = open(t, cfg)
		take(t, nodes[i], "key", l)
	}
	must(t, server.Kill())
	for window := range 5 {
		node.millis.Add(minute)
		passed := 0
		for _, s := range nodes {
			for _, key := range []string{"key", "never seen before"} {
				for d := (quota.Decision{Allowed: true}); d.Allowed; {
					var err error
					if d, err = s.Take(t.Context(), key, l, quota.Owner{}, node.millis.Load()); err != nil {
						t.Fatal(err)
					}
					if d.Allowed && key == "key" {
						passed++
					}
				}
			}
		}
		if passed != 12 {
			t.Errorf("%d requests passed in window %d, want 12: the limit and one for each further node", passed, window)
		}
	}
}

// TestAServerThatIsNotThereYet starts a node before its server.
func TestAServerThatIsNotThereYet(t *testing.T) {
	calmDay(t)
	server := enginetest.NewRedis(t)
	must(t, server.Kill())
	s := open(t, config(t, "redis://"+server.Addr()))
	l := quota.Limits{Minute: 100, Day: 100}
	if d := take(t, s, "key", l); !d.Allowed || !s.Alone() {
		t.Errorf("without the server: %+v, alone: %v", d, s.Alone())
	}
	server.Restart(t)
	await.That(t, "the grant", func() bool {
		d, err := s.Look(t.Context(), "key", l, quota.Owner{}, time.Now().UnixMilli())
		return err == nil && !s.Alone() && d.Day.Used == 1
	})
	if d := take(t, s, "key", l); d.Day.Used != 2 {
		t.Errorf("with the server: %+v", d)
	}
}

// TestAnAddressWithoutAServer checks that a node starts without its server.
func TestAnAddressWithoutAServer(t *testing.T) {
	address := "redis://" + porttest.Closed(t)
	for _, a := range []string{address, address + "?cluster=1"} {
		s, err := shared.Open(context.Background(), config(t, a))
		must(t, err)
		if !take(t, s, "key", quota.Limits{Minute: 1, Day: 1}).Allowed || !s.Alone() {
			t.Errorf("%s: the first request was refused", a)
		}
		s.Close()
	}
}

// TestALateAnswer checks that a call without an answer in time does not make a node
// alone if the server has answered another one since, and that it does otherwise.
func TestALateAnswer(t *testing.T) {
	s := open(t, config(t, "redis://"+enginetest.NewRedis(t).Addr()))
	before := s.Tick()
	take(t, s, "key", quota.Limits{Minute: 5, Day: 5})
	if !s.LateOnly(context.DeadlineExceeded, before) {
		t.Error("a call that was sent before an answer makes the node alone")
	}
	if s.LateOnly(context.DeadlineExceeded, s.Tick()) || s.LateOnly(net.ErrClosed, before) {
		t.Error("a silent or closed server makes nobody alone")
	}
}

package shared_test

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"gamedex/internal/quota"
	"gamedex/internal/quota/shared"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

// TestGrantsCountOnce lets the server execute calls whose answers are too late. Each of them
// reports the same grants, which count once.
func TestGrantsCountOnce(t *testing.T) {
	calmDay(t)
	server := enginetest.NewRedis(t)
	proxy := enginetest.NewProxy(t, server.Addr())
	s, err := shared.Open(t.Context(), config(t, "redis://"+proxy.Addr)) // Run would report too
	must(t, err)
	defer s.Close()
	l, o := quota.Limits{Minute: 10_000, Day: 10_000}, quota.Owner{ID: "usr", Limits: quota.Limits{Minute: 1000, Day: 1000}}
	s.WaitFor(time.Minute, time.Minute)
	const early, late = 50, 8
	var all sync.WaitGroup
	for range early { // at the same time, so that the client queues calls: otherwise it ends its connection after a late one
		all.Go(func() { takeOwned(t, s, "key", l, o) })
	}
	all.Wait()
	proxy.Break(t, enginetest.Slow)
	s.WaitFor(20*time.Millisecond, 20*time.Millisecond)
	calls := 0
	for n := 0; n < late; calls++ {
		if d := takeOwned(t, s, "key", l, o); !d.Allowed {
			t.Fatalf("call %d: %+v", calls, d)
		}
		if s.Alone() { // a busy machine may notice the deadline after the answer
			n++
			s.ComeBack()
		}
	}
	proxy.Heal()
	s.WaitFor(time.Minute, time.Minute)
	takeOwned(t, s, "key", l, o) // reports what the late calls reported; the next call reports the rest
	d := takeOwned(t, s, "key", l, o)
	// The server executes late calls, if the proxy does not drop them.
	least, most := early+calls+2, early+calls+late+2
	if key, owner := d.Day.Used, 1000-d.Day.Remaining; min(key, owner) < least || max(key, owner) > most {
		t.Errorf("%d used by the key and %d by its owner, want %d to %d: each late call counts once or twice", key, owner, least, most)
	}
	for _, name := range []string{"gamedex:reported:key:{usr}:key:*", "gamedex:reported:owner:{usr}:*"} {
		ttl, err := strconv.Atoi(server.Ask(t, `EVAL "return redis.call('TTL', redis.call('KEYS', ARGV[1])[1])" 0 `+name))
		if err != nil || ttl <= 0 || ttl > 600 {
			t.Errorf("%s ends in %d s, %v; want 600 s", name, ttl, err)
		}
	}
}

// TestABadNetwork puts a slow, a silent and a cut network between one node and the
// server. That node counts alone until the network is back; the other is not
// harmed.
func TestABadNetwork(t *testing.T) {
	calmDay(t)
	for _, fault := range []struct{ name, toxic string }{
		{"slow", enginetest.Slow},
		{"silent", enginetest.LostAnswers},
		{"reset", enginetest.Reset},
		{"cut in answers", `{"type":"limit_data","attributes":{"bytes":300}}`},
	} {
		t.Run(fault.name, func(t *testing.T) {
			server := enginetest.NewRedis(t)
			proxy := enginetest.NewProxy(t, server.Addr())
			near := open(t, config(t, "redis://"+server.Addr()))
			cfg := config(t, "redis://"+proxy.Addr)
			cfg.Nodes = func() int { return 2 }
			far := openHasty(t, cfg)
			l := quota.Limits{Minute: 1000, Day: 1000}
			take(t, near, "key", l)
			await.That(t, "the server", func() bool { take(t, far, "key", l); return !far.Alone() })
			proxy.Break(t, fault.toxic)
			await.That(t, "a failed call", func() bool { take(t, far, "key", l); return far.Alone() })
			used := func() int64 {
				d, _ := near.Look(t.Context(), "key", l, quota.Owner{}, time.Now().UnixMilli())
				return int64(d.Day.Used)
			}
			before := used()
			for range 20 {
				if d := take(t, near, "key", l); !d.Allowed || near.Alone() {
					t.Errorf("the other node: %+v, alone: %v", d, near.Alone())
				}
				if d := take(t, far, "key", l); !d.Allowed {
					t.Errorf("behind the fault: %+v", d)
				}
			}
			proxy.Heal()
			await.That(t, "the server", func() bool { return !far.Alone() })
			// A new connection may have reported earlier: a cut one answers a little.
			await.That(t, "what was granted behind the fault", func() bool { return used()-before >= 40 })
		})
	}
}

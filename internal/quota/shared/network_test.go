package shared_test

import (
	"testing"
	"time"

	"gamedex/internal/enginetest"
	"gamedex/internal/quota"
)

// TestABadNetwork puts a slow, a silent and a cut network between one node and the
// server. That node counts by itself until the network is back; the other is not
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
			await(t, "the server", func() bool { take(t, far, "key", l); return !far.Alone() })
			proxy.Break(t, fault.toxic)
			await(t, "a failed call", func() bool { take(t, far, "key", l); return far.Alone() })
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
			await(t, "the server", func() bool { return !far.Alone() })
			// A new connection may have told the server earlier: a cut one answers a little.
			await(t, "what was granted behind the fault", func() bool { return used()-before >= 40 })
		})
	}
}

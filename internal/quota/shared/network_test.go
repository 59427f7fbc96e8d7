package shared_test

import (
	"strings"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"gamedex/internal/enginetest"
	"gamedex/internal/quota"
)

// newProxy starts a proxy in front of a server, which ends with the test.
func newProxy(t *testing.T, upstream string) *toxiproxy.Proxy {
	t.Helper()
	p := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), "redis", "127.0.0.1:0", upstream)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

// TestABadNetwork puts a slow, a silent and a cut network between one node and the
// server. That node counts by itself until the network is back; the other is not
// harmed.
func TestABadNetwork(t *testing.T) {
	calmDay(t)
	for _, fault := range []struct{ name, toxic string }{
		{"slow", `{"name":"fault","type":"latency","attributes":{"latency":400}}`},
		{"silent", `{"name":"fault","type":"timeout","attributes":{"timeout":0}}`},
		{"reset", `{"name":"fault","type":"reset_peer","attributes":{"timeout":0}}`},
		{"cut in answers", `{"name":"fault","type":"limit_data","attributes":{"bytes":300}}`},
	} {
		t.Run(fault.name, func(t *testing.T) {
			server := enginetest.NewRedis(t)
			proxy := newProxy(t, server.Addr())
			near := open(t, config(t, "redis://"+server.Addr()))
			cfg := config(t, "redis://"+proxy.Listen)
			cfg.Nodes = func() int { return 2 }
			far := openHasty(t, cfg)
			l := quota.Limits{Minute: 1000, Day: 1000}
			take(t, near, "key", l)
			await(t, "the server", func() bool { take(t, far, "key", l); return !far.Alone() })
			if _, err := proxy.Toxics.AddToxicJson(strings.NewReader(fault.toxic)); err != nil {
				t.Fatal(err)
			}
			await(t, "a failed call", func() bool { take(t, far, "key", l); return far.Alone() })
			for range 20 {
				if d := take(t, near, "key", l); !d.Allowed || near.Alone() {
					t.Errorf("the other node: %+v, alone: %v", d, near.Alone())
				}
				if d := take(t, far, "key", l); !d.Allowed {
					t.Errorf("behind the fault: %+v", d)
				}
			}
			before, _ := near.Look(t.Context(), "key", l, quota.Owner{}, time.Now().UnixMilli())
			if err := proxy.Toxics.RemoveToxic(t.Context(), "fault"); err != nil {
				t.Fatal(err)
			}
			await(t, "the server", func() bool { return !far.Alone() })
			after, _ := near.Look(t.Context(), "key", l, quota.Owner{}, time.Now().UnixMilli())
			if granted := after.Day.Used - before.Day.Used; granted < 20 {
				t.Errorf("%d requests were told to the server, want those granted behind the fault", granted)
			}
		})
	}
}

package node

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"gamedex/internal/registry"
	"gamedex/internal/testing/await"
)

// TestWebhooksOfAWrongClock checks that the sender of a node whose clock is ten minutes ahead goes by the database's.
func TestWebhooksOfAWrongClock(t *testing.T) {
	right := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	log := slog.New(slog.DiscardHandler)
	n := &node{Config: Config{DB: openAt(t, right), Now: func() time.Time { return right.Add(10 * time.Minute) }, Log: log}}
	n.metrics = newMetrics(prometheus.NewRegistry(), n)
	n.nodes = registry.New(registry.Config{
		Repository: n.DB.Nodes, Self: registry.Node{ID: "n", Name: "n"}, Now: n.Now, Log: log,
		Serving: func() int64 { return 0 }, Epoch: func() string { return "" }, Damaged: func() []string { return nil }, Rand: func() float64 { return 0 },
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.nodes.Run(ctx) }()
	sender := n.newSender()
	if !await.Progress(func() bool { return n.nodes.Ahead() != 0 }, await.Nothing) || !sender.Now().Equal(right) {
		t.Errorf("the sender's clock shows %v, want %v", sender.Now(), right)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestReachable(t *testing.T) {
	got := map[string]string{}
	for _, addr := range []string{"[::]:8080", "0.0.0.0:8080", "127.0.0.1:8080", "192.0.2.7:80", "[2001:db8::1]:80"} {
		got[addr] = reachable(addr)
	}
	want := map[string]string{
		"[::]:8080": "127.0.0.1:8080", "0.0.0.0:8080": "127.0.0.1:8080",
		"127.0.0.1:8080": "127.0.0.1:8080", "192.0.2.7:80": "192.0.2.7:80", "[2001:db8::1]:80": "[2001:db8::1]:80",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

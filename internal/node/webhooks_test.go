package node

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gamedex/internal/registry"
	"gamedex/internal/testing/await"
)

// TestWebhooksOfAWrongClock checks that the sender of a node whose clock is ten minutes ahead goes by the database's.
func TestWebhooksOfAWrongClock(t *testing.T) {
	right := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	log := slog.New(slog.DiscardHandler)
	n := &node{Config: Config{DB: openAt(t, right), Now: func() time.Time { return right.Add(10 * time.Minute) }, Log: log}}
	var err error
	if n.metrics, err = newMetrics(prometheus.NewRegistry(), n); err != nil {
		t.Fatal(err)
	}
	n.nodes = registry.New(registry.Config{
		Repository: n.DB.Nodes, Self: registry.Node{ID: "n", Name: "n"}, Now: n.Now, Log: log,
		Serving: func() int64 { return 0 }, Epoch: func() string { return "" }, Rand: func() float64 { return 0 },
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

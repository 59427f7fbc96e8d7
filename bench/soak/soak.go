package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"gamedex/bench/harness"
	"gamedex/internal/testing/storesim"
)

// soak is one run.
type soak struct {
	options
	run *harness.Run

	world     *storesim.World
	rates     string // URL of a table of exchange rates
	imported  importedSample
	dsn       string
	common    []string // flags of commands
	bucket    []string // and of those that read snapshots
	env       []string // variables of all processes
	nodes     []*node
	answering []*node // with the role api
	disk      map[string]func(context.Context) (int64, error)
	client    *http.Client

	keys              [2][]key    // of the load: while processes are killed, and afterwards
	steady            atomic.Bool // the kills are over
	limited, changing key
	cards             atomic.Pointer[[]card]
	book              *ledger
	curves            *curves
	began             time.Time
	past              map[string]float64 // the last value of each counter; only the sampler uses it

	mu     sync.Mutex
	events map[string]int // how often something happened
}

// The load, the stores and the changes go on all the time, restarts only in the first third:
// what grows shows only while processes live.
const (
	restartEvery = time.Minute
	importEvery  = 45 * time.Second
	limitsEvery  = 25 * time.Second
	keyEvery     = 20 * time.Second
	userEvery    = 90 * time.Second
	cardsEvery   = 30 * time.Second
)

// work runs the service under load for its time, stops it, and checks the ledger.
func (s *soak) work(ctx context.Context) error {
	if err := s.readCards(ctx); err != nil {
		return err
	}
	for _, n := range s.answering {
		s.await(ctx, n, s.keys[0][0], request{route: "rates", path: ratesPath, may: []int{http.StatusServiceUnavailable}}, "the first exchange rates", time.Minute, http.StatusOK)
	}
	s.began = time.Now()
	s.run.Logf("under load for %v", s.length)
	running, cancel := context.WithTimeout(ctx, s.length)
	defer cancel()
	restarting, cancel := context.WithTimeout(ctx, s.length/3)
	defer cancel()
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() { s.load(running, client) })
	}
	all.Go(func() { s.exhaust(running, s.limited) })
	all.Go(func() { s.exhaust(running, s.changing) })
	all.Go(func() { s.sample(running) })
	all.Go(func() {
		s.repeat(running, storeDay, "pass a day", func(context.Context, int) error { s.world.Advance(); s.happened("days of the stores", 1); return nil })
	})
	all.Go(func() {
		s.repeat(running, importEvery, "import", func(ctx context.Context, _ int) error { return s.importAgain(ctx) })
	})
	all.Go(func() { s.repeat(running, limitsEvery, "change limits", s.changeLimits) })
	all.Go(func() { s.repeat(running, keyEvery, "key", s.passKey) })
	all.Go(func() { s.repeat(running, userEvery, "user", s.passUser) })
	all.Go(func() {
		s.repeat(running, cardsEvery, "cards", func(ctx context.Context, _ int) error { return s.readCards(ctx) })
	})
	rng := s.run.Rng(2)
	all.Go(func() {
		s.repeat(restarting, restartEvery, "restart", func(ctx context.Context, i int) error { return s.restart(ctx, rng, i) })
		s.steady.Store(true)
	})
	all.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.finish(ctx)
}

// repeat does something again and again until ctx ends, in short runs more often. What has
// begun is finished.
func (s *soak) repeat(ctx context.Context, pace time.Duration, what string, do func(ctx context.Context, i int) error) {
	paced(ctx, min(pace, s.length/10), func(i int) {
		if err := do(context.WithoutCancel(ctx), i); err != nil {
			s.book.fail("%s: %v", what, err)
		}
	})
}

// finish stops all nodes, and compares what they have stored with what they have answered.
func (s *soak) finish(ctx context.Context) error {
	for _, n := range s.nodes {
		n.up.Store(false)
		if err := n.Stop(); err != nil {
			s.book.fail("%s does not stop: %v", n.name, err)
		}
	}
	if err := s.readStored(ctx); err != nil {
		return fmt.Errorf("read usage: %w", err)
	}
	s.book.check()
	out, err := s.command(ctx, append([]string{"check"}, s.bucket...)...)
	if err != nil {
		s.book.fail("gamedex check: %v %s", err, out)
	}
	return nil
}

// happened counts events.
func (s *soak) happened(what string, times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events[what] += times
}

package quota_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/quota"
)

const hour = 3_600_000

// cluster is two nodes that share a database, and a plain count to compare them
// with.
type cluster struct {
	store  *memoryRepository
	now    int64
	runs   int
	nodes  [2]node
	all    map[int64]int64 // hour → requests of key "k" that history counts
	hidden [2]hidden       // the part of all that only one node knows
}

// hidden is what a node has not stored: the batch that it sent in vain, and what came
// after.
type hidden struct {
	sent, open     map[int64]int64
	waiting, fresh bool // a batch was sent in vain; requests came after it
}

func (h *hidden) send() {
	if !h.waiting && h.fresh {
		h.sent, h.open = h.open, map[int64]int64{}
		h.waiting, h.fresh = true, false
	}
}

func newCluster(t *rapid.T) *cluster {
	c := &cluster{store: newRepository(), now: at("2026-03-01 12:00:00.000"), all: map[int64]int64{}}
	for i := range c.nodes {
		c.restart(t, i)
	}
	return c
}

func (c *cluster) restart(t *rapid.T, i int) {
	c.runs++
	c.nodes[i] = startNode(t, c.store, fmt.Sprint("run", c.runs), func() int64 { return c.now })
	c.hidden[i] = hidden{open: map[int64]int64{}}
}

func (c *cluster) request(i int, route string, outcome quota.Outcome) {
	c.nodes[i].usage.Add("k", route, outcome, c.now)
	c.nodes[i].usage.Add("other", route, outcome, c.now)
	c.hidden[i].fresh = true
	if outcome != quota.OutcomeRefused {
		c.all[c.now/hour]++
		c.hidden[i].open[c.now/hour]++
	}
}

func (c *cluster) flush(t *rapid.T, i int) {
	must(t, c.nodes[i].Flush(context.Background()))
	c.hidden[i] = hidden{open: map[int64]int64{}}
}

func (c *cluster) failFlush(i int) {
	c.store.down = errors.New("disk gone")
	_ = c.nodes[i].Flush(context.Background())
	c.store.down = nil
	c.hidden[i].send()
}

// loseReply lets the database save a batch, but its node does not learn that.
func (c *cluster) loseReply(i int) {
	c.store.landed = func(int) error { return errors.New("connection reset") }
	_ = c.nodes[i].Flush(context.Background())
	c.store.landed = nil
	c.hidden[i].send()
	c.hidden[i].sent = nil
}

// check compares each node's history with the count, minus what the other node
// has not flushed.
func (c *cluster) check(t *rapid.T) {
	for i, n := range c.nodes {
		sum := func(hours int64) (n int64) {
			for h := c.now/hour - hours; h <= c.now/hour; h++ {
				n += c.all[h] - c.hidden[1-i].sent[h] - c.hidden[1-i].open[h]
			}
			return n
		}
		want := quota.History{Last24h: sum(24), Last7d: sum(7 * 24), Last30d: sum(30 * 24)}
		if got, err := n.usage.History(context.Background(), "k", c.now); err != nil || got != want {
			t.Fatalf("node %d: %+v, %v, want %+v", i, got, err, want)
		}
	}
}

// TestHistoryAgainstCounting lets nodes come and go, flush, fail and retry, and
// hours pass, and checks that the history equals a plain count, flushed or not.
func TestHistoryAgainstCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCluster(t)
		steps := []string{"ok", "ok", "error", "refused", "flush", "fail", "reply lost", "hours", "restart"}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			i := rapid.IntRange(0, 1).Draw(t, "node")
			switch rapid.SampledFrom(steps).Draw(t, "step") {
			case "ok":
				c.request(i, "/r", quota.OutcomeOK)
			case "error":
				c.request(i, "/q", quota.OutcomeServerError)
			case "refused":
				c.request(i, "/r", quota.OutcomeRefused)
			case "flush":
				c.flush(t, i)
			case "fail":
				c.failFlush(i)
			case "reply lost":
				c.loseReply(i)
			case "hours":
				c.now += hour * rapid.SampledFrom([]int64{1, 1, 2, 20, 24, 150, 700}).Draw(t, "hours")
			case "restart":
				c.flush(t, i)
				c.restart(t, i)
			}
			c.check(t)
		}
	})
}

// last24h returns the history of "k" as seen by a run.
func last24h(t *testing.T, u *quota.Usage, now int64) int64 {
	t.Helper()
	h, err := u.History(t.Context(), "k", now)
	must(t, err)
	return h.Last24h
}

// TestHistoryCoversWholeSpans moves the clock to the last time at which a
// request is within a span, and on.
func TestHistoryCoversWholeSpans(t *testing.T) {
	made := at("2026-03-01 12:59:59.999")
	for _, tt := range []struct {
		name string
		past int64 // hours
		of   func(quota.History) int64
	}{
		{"last24h", 24, func(h quota.History) int64 { return h.Last24h }},
		{"last7d", 7 * 24, func(h quota.History) int64 { return h.Last7d }},
		{"last30d", 30 * 24, func(h quota.History) int64 { return h.Last30d }},
	} {
		n := startNode(t, newRepository(), "run", func() int64 { return made })
		n.usage.Add("k", "/r", quota.OutcomeOK, made)
		for _, stored := range []bool{false, true} {
			for later, want := range map[int64]int64{0: 1, tt.past*hour - 1: 1, tt.past * hour: 1, tt.past*hour + 1: 0} {
				h, err := n.usage.History(t.Context(), "k", made+later)
				if err != nil || tt.of(h) != want {
					t.Errorf("%s, %d ms later, stored %v: %d requests, %v; want %d", tt.name, later, stored, tt.of(h), err, want)
				}
			}
			must(t, n.Flush(t.Context()))
		}
	}
}

func TestAClockSetBackByHoursCountsOnce(t *testing.T) {
	s, now := newRepository(), at("2026-03-01 12:00:00.000")
	n := startNode(t, s, "run", func() int64 { return now })
	n.usage.Add("k", "/r", quota.OutcomeOK, now)
	for range 3 {
		must(t, n.Flush(t.Context()))
		now -= 2 * hour
		n.usage.Add("k", "/r", quota.OutcomeOK, now)
	}
	must(t, n.Flush(t.Context()))
	now = at("2026-03-01 13:00:00.000")
	if got := last24h(t, n.usage, now); got != 4 {
		t.Errorf("history has %d, want 4", got)
	}
}

// TestStoredRowsLeaveMemory removes the rows from the database to see what is still in
// memory.
func TestStoredRowsLeaveMemory(t *testing.T) {
	s, now := newRepository(), at("2026-03-01 12:00:00.000")
	n := startNode(t, s, "run", func() int64 { return now })
	n.usage.Add("k", "/r", quota.OutcomeOK, now)
	must(t, n.Flush(t.Context()))
	clear(s.rows)
	if got := last24h(t, n.usage, now); got != 0 {
		t.Errorf("memory has %d stored requests", got)
	}
}

// TestHistoryDuringFlushes reads the history of a key while requests are counted and
// stored: no reading misses or repeats a request.
func TestHistoryDuringFlushes(t *testing.T) {
	const requests = 20_000
	s, now := newRepository(), at("2026-03-01 12:00:00.000")
	n := startNode(t, s, "run", func() int64 { return now })
	var added, adding atomic.Int64
	var loops sync.WaitGroup
	end := make(chan struct{})
	loops.Go(func() {
		defer close(end)
		for i := range requests {
			adding.Add(1)
			n.usage.Add("k", fmt.Sprint("/", i%3), quota.OutcomeOK, now)
			added.Add(1)
		}
	})
	until := func(do func() error) {
		loops.Go(func() {
			for {
				select {
				case <-end:
					return
				default:
				}
				if err := do(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	until(func() error { return n.Flush(t.Context()) })
	until(func() error {
		least := added.Load()
		h, err := n.usage.History(t.Context(), "k", now)
		if most := adding.Load(); h.Last24h < least || h.Last24h > most {
			return fmt.Errorf("history has %d requests, want %d to %d, %w", h.Last24h, least, most, err)
		}
		return err
	})
	loops.Wait()
	if got := last24h(t, n.usage, now); got != requests {
		t.Errorf("history has %d requests, want %d", got, requests)
	}
}

func TestOutcomeOf(t *testing.T) {
	tests := map[int]quota.Outcome{
		200: quota.OutcomeOK, 204: quota.OutcomeOK, 304: quota.OutcomeOK,
		400: quota.OutcomeClientError, 403: quota.OutcomeClientError, 431: quota.OutcomeClientError,
		429: quota.OutcomeRefused,
		500: quota.OutcomeServerError, 503: quota.OutcomeServerError,
	}
	for status, want := range tests {
		if got := quota.OutcomeOf(status); got != want {
			t.Errorf("%d is %s, want %s", status, got, want)
		}
	}
}

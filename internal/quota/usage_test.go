package quota_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/quota"
)

const hour = 3_600_000

// cluster is two nodes that share a store, and a plain count to compare them
// with.
type cluster struct {
	store     *memoryStore
	now       int64
	runs      int
	nodes     [2]node
	all       map[int64]int64    // hour → requests of key "k" that history counts
	unflushed [2]map[int64]int64 // the part of all that a node has not flushed, by node
}

func newCluster(t *rapid.T) *cluster {
	c := &cluster{store: newStore(), now: at("2026-03-01 12:00:00.000"), all: map[int64]int64{}}
	for i := range c.nodes {
		c.restart(t, i)
	}
	return c
}

func (c *cluster) restart(t *rapid.T, i int) {
	c.runs++
	c.nodes[i] = startNode(t, c.store, fmt.Sprint("run", c.runs), func() int64 { return c.now })
	c.unflushed[i] = map[int64]int64{}
}

func (c *cluster) request(i int, route string, outcome quota.Outcome) {
	c.nodes[i].usage.Add("k", route, outcome, c.now)
	c.nodes[i].usage.Add("other", route, outcome, c.now)
	if outcome != quota.OutcomeRefused {
		c.all[c.now/hour]++
		c.unflushed[i][c.now/hour]++
	}
}

func (c *cluster) flush(t *rapid.T, i int) {
	if err := c.nodes[i].Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	c.unflushed[i] = map[int64]int64{}
}

func (c *cluster) failFlush(i int) {
	c.store.down = errors.New("disk gone")
	_ = c.nodes[i].Flush(context.Background())
	c.store.down = nil
}

// check compares each node's history with the count, minus what the other node
// has not flushed.
func (c *cluster) check(t *rapid.T) {
	for i, n := range c.nodes {
		sum := func(hours int64) (n int64) {
			for h := c.now/hour - hours; h <= c.now/hour; h++ {
				n += c.all[h] - c.unflushed[1-i][h]
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
		steps := []string{"ok", "ok", "error", "refused", "flush", "fail", "hours", "restart"}
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
	if err != nil {
		t.Fatal(err)
	}
	return h.Last24h
}

// TestHistoryCoversWholeSpans moves the clock to the last moment at which a
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
		n := startNode(t, newStore(), "run", func() int64 { return made })
		n.usage.Add("k", "/r", quota.OutcomeOK, made)
		for _, stored := range []bool{false, true} {
			for later, want := range map[int64]int64{0: 1, tt.past*hour - 1: 1, tt.past * hour: 1, tt.past*hour + 1: 0} {
				h, err := n.usage.History(t.Context(), "k", made+later)
				if err != nil || tt.of(h) != want {
					t.Errorf("%s, %d ms later, stored %v: %d requests, %v; want %d", tt.name, later, stored, tt.of(h), err, want)
				}
			}
			if err := n.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestAClockSetBackByHoursCountsOnce(t *testing.T) {
	s, now := newStore(), at("2026-03-01 12:00:00.000")
	n := startNode(t, s, "run", func() int64 { return now })
	n.usage.Add("k", "/r", quota.OutcomeOK, now)
	for range 3 {
		if err := n.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		now -= 2 * hour
		n.usage.Add("k", "/r", quota.OutcomeOK, now)
	}
	if err := n.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	now = at("2026-03-01 13:00:00.000")
	if got := last24h(t, n.usage, now); got != 4 {
		t.Errorf("history has %d, want 4", got)
	}
}

func TestForgetKeepsWhatIsNotStored(t *testing.T) {
	s, now := newStore(), at("2026-03-01 12:00:00.000")
	u := quota.NewUsage("run", s)
	u.Add("k", "/r", quota.OutcomeOK, now)
	u.Forget(now/hour + 5)
	if got := last24h(t, u, now); got != 1 {
		t.Errorf("history has %d, want 1", got)
	}
	if rows := u.Changed(); len(rows) != 1 || rows[0].Count != 1 {
		t.Errorf("to be stored: %+v, want the row", rows)
	}
}

// TestStoredHoursLeaveMemory removes the rows from the store to see what is
// still in memory.
func TestStoredHoursLeaveMemory(t *testing.T) {
	s, now := newStore(), at("2026-03-01 12:00:00.000")
	n := startNode(t, s, "run", func() int64 { return now })
	for _, want := range []int64{1, 1, 0} { // this hour, the last one, gone
		if now == at("2026-03-01 12:00:00.000") {
			n.usage.Add("k", "/r", quota.OutcomeOK, now)
		}
		if err := n.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		rows := s.rows
		s.rows = map[quota.UsageRow]int64{}
		if got := last24h(t, n.usage, now); got != want {
			t.Errorf("at %d memory has %d, want %d", now, got, want)
		}
		s.rows = rows
		now += hour
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

package quota_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"gamedex/internal/quota"
)

// node is one run of a process: counter, usage and flusher over a database.
type node struct {
	memory *quota.Memory
	usage  *quota.Usage
	*quota.Flusher
}

func startNode(t rapid.TB, s *memoryRepository, run string, now func() int64) node {
	n := node{memory: quota.NewMemory(), usage: quota.NewUsage(run, s)}
	n.Flusher = quota.NewFlusher(n.memory, n.usage, s, now, slog.New(slog.DiscardHandler))
	must(t, n.Load(context.Background()))
	return n
}

func wallClock() int64 { return time.Now().UnixMilli() }

// TestKillLosesAtMostOneSecond kills a node again and again while a client
// sends 50 requests a second, and checks that each kill loses at most 50
// requests.
func TestKillLosesAtMostOneSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random, s, lost := rand.New(rand.NewPCG(1, 2)), newRepository(), 0
		for i := range 10 {
			n := startNode(t, s, fmt.Sprint("run", i), wallClock)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- n.Run(ctx) }()
			known := s.states["k"].DayUsed
			requests := 20 + random.IntN(100)
			for range requests {
				take(t, n.memory, "k", quota.Limits{Minute: 10_000, Day: 10_000}, wallClock())
				time.Sleep(20 * time.Millisecond)
			}
			s.set(func(s *memoryRepository) { s.down = errors.New("killed") }) // nothing is saved from here on
			cancel()
			<-ended
			s.set(func(s *memoryRepository) { s.down = nil })
			forgotten := known + requests - s.states["k"].DayUsed
			if forgotten > 50 {
				t.Errorf("kill %d: %d of %d requests lost, want at most 50", i, forgotten, requests)
			}
			lost += forgotten
		}
		if lost == 0 {
			t.Error("no kill lost a request, so the test shows nothing")
		}
	})
}

// TestAnotherEpochSavesAllCounters lets the database lose what was saved, as after a failover,
// and checks that unused keys are saved again.
func TestAnotherEpochSavesAllCounters(t *testing.T) {
	now := func() int64 { return 1_800_000_000_000 }
	s, epoch := newRepository(), ""
	n := startNode(t, s, "run", now)
	n.Epoch = func() string { return epoch }
	flush := func() {
		t.Helper()
		must(t, n.Flush(t.Context()))
	}
	owner := quota.Owner{ID: "owner", Limits: quota.Limits{Minute: 100, Day: 100}}
	for range 7 {
		if d, err := n.memory.Take(t.Context(), "k", quota.Limits{Minute: 100, Day: 100}, owner, now()); !d.Allowed || err != nil {
			t.Fatalf("%+v, %v", d, err)
		}
	}
	epoch = "7/1" // at the first flush it is not known yet
	flush()
	for _, step := range []struct {
		epoch string
		want  int
	}{{"7/1", 0}, {"7/2", 7}, {"7/2", 0}} {
		s.set(func(s *memoryRepository) { clear(s.states) })
		epoch = step.epoch
		flush()
		if key, owner := s.states["k"].DayUsed, s.states["owner"].DayUsed; key != step.want || owner != step.want {
			t.Errorf("in epoch %q key and owner have %d and %d, want %d", step.epoch, key, owner, step.want)
		}
	}
}

func TestAStopLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRepository()
		for i := range 5 {
			n := startNode(t, s, fmt.Sprint("run", i), wallClock)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- n.Run(ctx) }()
			for range 7 {
				take(t, n.memory, "k", quota.Limits{Minute: 100, Day: 100}, wallClock())
				n.usage.Add("k", "/r", quota.OutcomeOK, wallClock())
			}
			cancel()
			must(t, <-ended)
		}
		n := startNode(t, s, "last", wallClock)
		d := take(t, n.memory, "k", quota.Limits{Minute: 100, Day: 100}, wallClock())
		h, err := n.usage.History(t.Context(), "k", wallClock())
		if d.Day.Used != 36 || d.Minute.Used != 36 || h.Last24h != 35 || err != nil {
			t.Errorf("after 5 stops: %+v, %+v, %v, want 36 used and 35 in history", d, h, err)
		}
	})
}

// TestHistoryIsNotAheadOfTheCounters answers a request while a flush saves the counters. A
// kill after the flush must not leave more requests in the history than are charged.
func TestHistoryIsNotAheadOfTheCounters(t *testing.T) {
	now := at("2026-03-01 12:00:00.000")
	s := newRepository()
	n := startNode(t, s, "run", func() int64 { return now })
	request := func() {
		take(t, n.memory, "k", quota.Limits{Minute: 100, Day: 100}, now)
		n.usage.Add("k", "/r", quota.OutcomeOK, now)
	}
	s.saving = request
	request()
	must(t, n.Flush(t.Context()))
	history := s.rows[quota.UsageRow{KeyID: "k", Hour: now / hour, Route: "/r", Outcome: quota.OutcomeOK}]
	if charged := s.states["k"].DayUsed; charged != 1 || history != 1 {
		t.Errorf("stored: %d requests in the history, %d charged; want 1", history, charged)
	}
}

func TestManyRowsGoOutInBatches(t *testing.T) {
	s, now := newRepository(), at("2026-03-01 12:00:00.000")
	n := startNode(t, s, "run", func() int64 { return now })
	for i := range 2500 {
		key := fmt.Sprint("key", i)
		take(t, n.memory, key, quota.Limits{Minute: 1, Day: 1}, now)
		n.usage.Add(key, "/r", quota.OutcomeOK, now)
	}
	must(t, n.Flush(t.Context()))
	if s.saves != 6 || len(s.states) != 2500 || len(s.rows) != 2500 {
		t.Errorf("%d saves of %d states and %d rows, want 6 of 2500 each", s.saves, len(s.states), len(s.rows))
	}
	if err := n.Flush(t.Context()); err != nil || s.saves != 6 {
		t.Errorf("%v, %d saves though nothing changed", err, s.saves-6)
	}
}

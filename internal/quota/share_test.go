package quota_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gamedex/internal/quota"
)

// TestSharedStoresAreWrittenLess counts the batches of usage that a node saves in ten
// minutes, with a request every second. Counters are saved as before.
func TestSharedStoresAreWrittenLess(t *testing.T) {
	for nodes, want := range map[int]struct{ least, most int64 }{1: {60, 81}, 10: {60, 81}, 40: {15, 21}, 1000: {10, 14}} {
		synctest.Test(t, func(t *testing.T) {
			s := newRepository()
			var log bytes.Buffer
			memory, usage := quota.NewMemory(), quota.NewUsage("run", s)
			f := quota.NewFlusher(memory, usage, s, wallClock, slog.New(slog.NewTextHandler(&log, nil)))
			f.Nodes = func() int { return nodes }
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- f.Run(ctx) }()
			used := 0
			request := func() {
				take(t, memory, "k", quota.Limits{Minute: 1000, Day: 1000}, wallClock())
				usage.Add("k", "/r", quota.OutcomeOK, wallClock())
				used++
				time.Sleep(time.Second)
			}
			for range 600 {
				request()
				s.set(func(s *memoryRepository) {
					if got := s.states["k"].DayUsed; got < used-1 {
						t.Fatalf("%d requests are charged in the database, want %d", got, used)
					}
				})
			}
			s.set(func(s *memoryRepository) {
				if n := s.numbers["run"]; n < want.least || n > want.most {
					t.Errorf("%d nodes: %d batches in ten minutes, want %d to %d", nodes, n, want.least, want.most)
				}
				s.down = errors.New("away")
			})
			for range 120 {
				request()
			}
			if _, err := usage.History(t.Context(), "k", wallClock()); err == nil {
				t.Error("there is a history without the database")
			}
			s.set(func(s *memoryRepository) { s.down = nil })
			time.Sleep(time.Second)
			s.set(func(s *memoryRepository) {
				if got := s.states["k"].DayUsed; got != used {
					t.Errorf("after the outage %d requests are charged in the database, want %d", got, used)
				}
			})
			cancel()
			must(t, <-ended)
			if n := strings.Count(log.String(), "level="); n != 2 {
				t.Errorf("%d lines about one outage, want 2:\n%s", n, &log)
			}
			if h, err := usage.History(t.Context(), "k", wallClock()); err != nil || h.Last24h != int64(used) {
				t.Errorf("history %+v, %v, want %d", h, err, used)
			}
		})
	}
}

// TestAnHourWithoutTheStore counts requests for an hour while the database fails, hangs, and
// stores without an answer. They share the rows of two batches,
// and all are stored once when it is back.
func TestAnHourWithoutTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const keys, routes = 20, 3
		s := newRepository()
		usage := quota.NewUsage("run", s)
		f := quota.NewFlusher(nil, usage, s, wallClock, slog.New(slog.DiscardHandler))
		f.Nodes = func() int { return 4 }
		must(t, f.Load(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- f.Run(ctx) }()
		time.Sleep(30 * time.Minute) // the outage is in two hours
		requests := int64(0)
		for minute := range 60 {
			s.set(func(s *memoryRepository) {
				s.down, s.landed = errors.New("away"), nil
				if minute == 20 { // nobody knows that this was stored
					s.down, s.landed = nil, func(int) error { return errors.New("connection reset") }
				}
			})
			for key := range keys {
				for route := range routes {
					usage.Add(fmt.Sprint("key", key), fmt.Sprint("/", route), quota.OutcomeOK, wallClock())
					requests++
				}
			}
			time.Sleep(time.Minute)
		}
		s.set(func(s *memoryRepository) { s.down, s.landed = nil, nil })
		time.Sleep(time.Minute)
		cancel()
		must(t, <-ended)
		stored := int64(0)
		for _, count := range s.rows {
			stored += count
		}
		if stored != requests {
			t.Errorf("%d requests are stored, want %d", stored, requests)
		}
		if n := s.numbers["run"]; n > 3 {
			t.Errorf("%d batches waited, want the one that was sent first, and those of the rest", n)
		}
	})
}

package collect_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"gamedex/internal/collect"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

const moved = "g019-deluxe"

// moving is a shop in which the second edition of g019 leaves its page during a sweep, between the
// reads of the pages of g000 and of g019.
type moving struct {
	*shop
	scope, from string // of the read before which it leaves
	to          string // its new page; "" until it leaves
	unlisted    bool   // the new page, which pages of prices no longer name
}

func (m *moving) Read(ctx context.Context, job sweep.Job, from string) (sweep.Page, error) {
	m.set(func() {
		if m.to != "" && job.Scope.String() == m.scope && from == m.from {
			m.pageOf = map[string]string{moved: m.to}
		}
	})
	page, err := m.shop.Read(ctx, job, from)
	if job.Scope.Kind == sweep.Prices && m.unlisted {
		page.Items = slices.DeleteFunc(page.Items, func(i sweep.Item) bool { return i.ID == m.to })
	}
	return page, err
}

func TestMovedListingsAreNotWithdrawn(t *testing.T) {
	const prices, editions, details = "consolestore/UA/prices", "consolestore/UA/editions", "consolestore/UA/details"
	panics := func(at sweep.Scope, from string) error {
		if from == moved {
			panic("index out of range")
		}
		return nil
	}
	for _, c := range []struct {
		name        string
		scope, from string
		to          string
		unlisted    bool
		fails       func(sweep.Scope, string) error
		want        int // listings withdrawn
	}{
		{name: "seen by editions", scope: editions, from: "g010", to: "g000"},
		{name: "seen by prices", scope: prices, from: "8", to: "g000"},
		{name: "to a page that is not there", scope: editions, from: "g010", to: "nowhere", want: 1},
		{name: "to a page that is not listed", scope: prices, from: "8", to: "g000", unlisted: true, want: 1},
		{name: "the product is refused", scope: editions, from: "g010", to: "g000", fails: failingAt(upstream.Refused, details, moved), want: 1},
		{name: "the new page is broken", scope: prices, from: "8", to: "g000", fails: failingAt(upstream.Broken, editions, "g000"), want: 1},
		{name: "the operation is outdated", scope: prices, from: "8", to: "g000", fails: failingAt(upstream.Outdated, details, ""), want: 1},
		{name: "the connector panics", scope: editions, from: "g010", to: "g000", fails: panics, want: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				s := consoleShop("UA").stock(20)
				s.names = c.scope == prices
				m := &moving{shop: s, scope: c.scope, from: c.from}
				w.tune = func(cfg *collect.Config) {
					fortyMinutes(cfg)
					cfg.Connectors = []collect.Connector{m}
				}
				collector := w.collector("a", w.db)
				w.runFor(15*time.Minute, collector) // two sweeps of prices; then they own what they name
				s.set(func() { m.to, m.unlisted, s.fails = c.to, c.unlisted, c.fails })
				w.runFor(10*time.Minute, collector)
				if c.scope == editions {
					w.runFor(20*time.Minute, collector)
				}
				withdrawn := 0
				w.mu.Lock()
				for _, e := range w.events {
					withdrawn += e.Summary.Withdrawn
				}
				w.mu.Unlock()
				if n := len(w.listings()); withdrawn != c.want || n != 40-c.want {
					t.Errorf("%d listings withdrawn, %d left, want %d and %d", withdrawn, n, c.want, 40-c.want)
				}
				if !slices.Contains(s.readsOf(scope(details)), moved) {
					t.Error("no sweep missed the listing")
				}
				state := w.sweeps()[c.scope]
				if state.Failed || state.Interrupted || state.Attempts != 0 {
					t.Errorf("%+v", state)
				}
			})
		})
	}
}

// TestStopWhileLookingUp checks that a store that refuses access to a product's page stops
// the collection, and that the sweep withdraws the missing product only when it has an answer.
func TestStopWhileLookingUp(t *testing.T) {
	bubble(t, func(w *world) {
		s := consoleShop("UA").stock(20)
		c := w.collector("a", w.db, s)
		w.runFor(5*time.Minute, c)
		s.set(func() {
			delete(s.games, "g007")
			s.fails = failingAt(upstream.Stopped, "consolestore/UA/details", "g007")
		})
		w.runFor(10*time.Minute, c)
		if n := len(w.listings()); n != 40 || len(w.stops) == 0 {
			t.Errorf("%d listings, stops %q", n, w.stops)
		}
		s.set(func() { s.fails = nil })
		w.runFor(2*time.Hour, c)
		if _, listed := w.listings()["UA g007"]; listed {
			t.Error("g007 is still listed")
		}
	})
}

// TestManyMissingListings checks that a sweep looks up 50 missing products, and none of 51.
func TestManyMissingListings(t *testing.T) {
	bubble(t, func(w *world) {
		s := consoleShop("UA").stock(600)
		s.pageSize = 100
		collector := w.collector("a", w.db, s)
		w.runFor(5*time.Minute, collector)
		details, removed := scope("consolestore/UA/details"), 0
		for _, c := range []struct{ missing, want int }{{50, 50}, {51, 0}} {
			before := len(s.readsOf(details))
			s.set(func() {
				for range c.missing {
					delete(s.games, fmt.Sprintf("g%03d", removed))
					removed++
				}
			})
			w.runFor(10*time.Minute, collector)
			if got := len(s.readsOf(details)) - before; got != c.want {
				t.Errorf("%d missing: %d looked up, want %d", c.missing, got, c.want)
			}
			if n := len(w.listings()); n != 1200-removed {
				t.Errorf("%d listings, want %d", n, 1200-removed)
			}
		}
	})
}

package quota

import (
	"context"
	"fmt"
	"hash/maphash"
	"sync"
)

const (
	hourMillis   = 3_600_000
	historyHours = 30 * 24
)

// Usage counts what this run has answered, by key, hour, route and outcome.
//
// Memory is the truth for the hours from a moving floor on; all hours of this
// run before it are in the [Store]. So a sum of both counts every request once,
// flushed or not. Create it with [NewUsage].
type Usage struct {
	run    string
	store  Store
	seed   maphash.Seed
	shards [shardCount]usageShard
}

type usageShard struct {
	mu      sync.Mutex
	floor   int64 // the first hour kept here
	keys    map[string]map[slot]*tally
	changed []change // since the last call of Changed
}

type slot struct {
	hour    int64
	route   string
	outcome Outcome
}

type tally struct {
	count  int64
	marked bool // in the shard's changed list
}

type change struct {
	keyID string
	slot  slot
	tally *tally
}

// NewUsage returns the counts of a run that has answered nothing. The name run
// must never have been used before with this store.
func NewUsage(run string, store Store) *Usage {
	u := &Usage{run: run, store: store, seed: maphash.MakeSeed()}
	for i := range u.shards {
		u.shards[i].keys = make(map[string]map[slot]*tally)
	}
	return u
}

func (u *Usage) shardOf(keyID string) *usageShard {
	return &u.shards[maphash.String(u.seed, keyID)%shardCount]
}

// Add counts one answered request. The route is a pattern out of a fixed set,
// never a path.
func (u *Usage) Add(keyID, route string, outcome Outcome, now int64) {
	s := u.shardOf(keyID)
	s.mu.Lock()
	defer s.mu.Unlock()
	// A clock set back by hours must not write into hours that left memory.
	at := slot{hour: max(now/hourMillis, s.floor), route: route, outcome: outcome}
	slots := s.keys[keyID]
	if slots == nil {
		slots = make(map[slot]*tally)
		s.keys[keyID] = slots
	}
	t := slots[at]
	if t == nil {
		t = new(tally)
		slots[at] = t
	}
	t.count++
	if !t.marked {
		t.marked = true
		s.changed = append(s.changed, change{keyID, at, t})
	}
}

// Changed returns the rows that changed since the last call, with their counts
// of now. Whoever calls it has to keep them until they are stored.
func (u *Usage) Changed() []UsageRow {
	var rows []UsageRow
	for i := range u.shards {
		rows = u.shards[i].appendChanged(rows, u.run)
	}
	return rows
}

func (s *usageShard) appendChanged(rows []UsageRow, run string) []UsageRow {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.changed {
		c.tally.marked = false
		rows = append(rows, UsageRow{
			KeyID: c.keyID, Hour: c.slot.hour, Route: c.slot.route,
			Outcome: c.slot.outcome, Run: run, Count: c.tally.count,
		})
	}
	s.changed = nil
	return rows
}

// Forget drops the hours before hour from memory. Every row that Changed ever
// returned must be stored by then.
func (u *Usage) Forget(hour int64) {
	for i := range u.shards {
		u.shards[i].forget(hour)
	}
}

func (s *usageShard) forget(hour int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if hour <= s.floor {
		return
	}
	for _, c := range s.changed {
		if c.slot.hour < hour {
			return // not stored yet: next time
		}
	}
	for keyID, slots := range s.keys {
		for at := range slots {
			if at.hour < hour {
				delete(slots, at)
			}
		}
		if len(slots) == 0 {
			delete(s.keys, keyID)
		}
	}
	s.floor = hour
}

// History is how many requests a key has made, over all runs, refused ones
// left out. Each span is whole hours: the current one and the 23, 167 or 719
// before it.
type History struct{ Last24h, Last7d, Last30d int64 }

// History sums what is stored and what this run has not stored yet. It fails
// if the store does.
func (u *Usage) History(ctx context.Context, keyID string, now int64) (History, error) {
	thisHour := now / hourMillis
	mine, floor := u.shardOf(keyID).hours(keyID)
	stored, err := u.store.SumUsage(ctx, keyID, thisHour-historyHours+1, u.run, floor)
	if err != nil {
		return History{}, fmt.Errorf("sum usage of key %s: %w", keyID, err)
	}
	var h History
	for _, hc := range append(mine, stored...) {
		h.add(hc, thisHour)
	}
	return h, nil
}

func (h *History) add(hc HourCount, thisHour int64) {
	age := thisHour - hc.Hour
	if age < 24 {
		h.Last24h += hc.Count
	}
	if age < 7*24 {
		h.Last7d += hc.Count
	}
	if age < historyHours {
		h.Last30d += hc.Count
	}
}

// hours returns what memory holds of a key, and the floor that goes with it.
func (s *usageShard) hours(keyID string) ([]HourCount, int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var hours []HourCount
	for at, t := range s.keys[keyID] {
		if at.outcome != OutcomeRefused {
			hours = append(hours, HourCount{Hour: at.hour, Count: t.count})
		}
	}
	return hours, s.floor
}

package quota

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

const (
	hourMillis   = 3_600_000
	historyHours = 30 * 24
)

// Usage counts the requests that this run answered, by key, hour, route and
// outcome.
//
// It keeps the hours from a moving floor onwards in memory. The [Store] has all
// earlier hours of this run. So the sum of both counts every request once,
// before and after a flush. Create it with [NewUsage].
type Usage struct {
	run   string
	store Store

	mu      sync.Mutex
	floor   int64 // the first hour in memory
	keys    map[string]map[slot]*slotCount
	changed []changedSlot // since the last call of Changed
}

type slot struct {
	hour    int64
	route   string
	outcome Outcome
}

type slotCount struct {
	requests int64
	changed  bool // in Usage.changed
}

type changedSlot struct {
	keyID string
	slot  slot
	count *slotCount
}

// NewUsage returns a Usage without any requests. No earlier run may have used
// the name run with this store.
func NewUsage(run string, store Store) *Usage {
	return &Usage{run: run, store: store, keys: make(map[string]map[slot]*slotCount)}
}

// Add counts one answered request. The route is one of a fixed set of patterns,
// never a path.
func (u *Usage) Add(keyID, route string, outcome Outcome, now int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	// If the clock was set back by hours, the hour may no longer be in memory.
	at := slot{hour: max(now/hourMillis, u.floor), route: route, outcome: outcome}
	if u.keys[keyID] == nil {
		u.keys[keyID] = make(map[slot]*slotCount)
	}
	count := u.keys[keyID][at]
	if count == nil {
		count = new(slotCount)
		u.keys[keyID][at] = count
	}
	count.requests++
	if !count.changed {
		count.changed = true
		u.changed = append(u.changed, changedSlot{keyID, at, count})
	}
}

// Changed returns the rows that changed since the last call, with their current
// counts. The caller must keep the rows until they are stored.
func (u *Usage) Changed() []UsageRow {
	u.mu.Lock()
	defer u.mu.Unlock()
	rows := make([]UsageRow, len(u.changed))
	for i, c := range u.changed {
		c.count.changed = false
		rows[i] = UsageRow{
			KeyID: c.keyID, Hour: c.slot.hour, Route: c.slot.route,
			Outcome: c.slot.outcome, Run: u.run, Count: c.count.requests,
		}
	}
	u.changed = nil
	return rows
}

// Forget removes the hours before hour from memory. Every row that Changed
// returned must be stored.
func (u *Usage) Forget(hour int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if hour <= u.floor {
		return
	}
	if slices.ContainsFunc(u.changed, func(c changedSlot) bool { return c.slot.hour < hour }) {
		return // not stored yet: next time
	}
	for keyID, slots := range u.keys {
		maps.DeleteFunc(slots, func(at slot, _ *slotCount) bool { return at.hour < hour })
		if len(slots) == 0 {
			delete(u.keys, keyID)
		}
	}
	u.floor = hour
}

// History is the number of requests of a key over all runs, without refused
// ones. Each span is whole hours: the current one and the 24, 168 or 720 before
// it, so it covers at least the time of its name.
type History struct{ Last24h, Last7d, Last30d int64 }

// History returns the sum of what is stored and what this run has in memory. It
// fails if the store does.
func (u *Usage) History(ctx context.Context, keyID string, now int64) (History, error) {
	thisHour := now / hourMillis
	u.mu.Lock()
	floor := u.floor
	var hours []HourCount
	for at, count := range u.keys[keyID] {
		if at.outcome != OutcomeRefused {
			hours = append(hours, HourCount{Hour: at.hour, Count: count.requests})
		}
	}
	u.mu.Unlock()
	stored, err := u.store.SumUsage(ctx, keyID, thisHour-historyHours, u.run, floor)
	if err != nil {
		return History{}, fmt.Errorf("sum usage of key %s: %w", keyID, err)
	}
	var h History
	for _, hc := range append(hours, stored...) {
		age := thisHour - hc.Hour
		if age <= 24 {
			h.Last24h += hc.Count
		}
		if age <= 7*24 {
			h.Last7d += hc.Count
		}
		if age <= historyHours {
			h.Last30d += hc.Count
		}
	}
	return h, nil
}

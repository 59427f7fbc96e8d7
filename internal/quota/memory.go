package quota

import (
	"context"
	"sync"
	"sync/atomic"
)

// Memory is a [Counter] within one process. It keeps one 64-bit word per key
// and changes it by compare-and-swap, so that a request is charged to both
// windows or to none, and two requests cannot both take the last free place.
// Requests of keys with an owner queue at that owner's lock, so that each is
// charged to key and owner or to neither. Create it with [NewMemory].
type Memory struct {
	cells  sync.Map // of *cell, by key id
	owners sync.Map // of *ownerCell, by owner id

	mu            sync.Mutex
	changed       []*cell // since the last call of Changed
	changedOwners []*ownerCell
}

// cell is what one key has spent. It fills a cache line, so that counts of
// different keys do not slow each other down.
type cell struct {
	keyID   string
	word    atomic.Uint64
	changed atomic.Bool // in Memory.changed
	_       [64 - 16 - 8 - 4]byte
}

// ownerCell is what one owner has spent. The sum of limits may be too high for a
// word.
type ownerCell struct {
	id      string
	mu      sync.Mutex
	spent   Spent
	changed atomic.Bool // in Memory.changedOwners
}

// NewMemory returns a counter in which every key has its full limits.
func NewMemory() *Memory { return new(Memory) }

// cell returns the cell of a key and creates it if necessary.
func (m *Memory) cell(keyID string) *cell {
	c, ok := m.cells.Load(keyID)
	if !ok {
		c, _ = m.cells.LoadOrStore(keyID, &cell{keyID: keyID})
	}
	return c.(*cell)
}

// owner returns the cell of an owner and creates it if necessary.
func (m *Memory) owner(id string) *ownerCell {
	c, ok := m.owners.Load(id)
	if !ok {
		c, _ = m.owners.LoadOrStore(id, &ownerCell{id: id})
	}
	return c.(*ownerCell)
}

// Take implements [Counter]. Its error is always nil.
func (m *Memory) Take(_ context.Context, keyID string, l Limits, o Owner, now int64) (Decision, error) {
	c := m.cell(keyID)
	var owner *ownerCell
	var before Pair
	if o.ID != "" {
		owner = m.owner(o.ID)
		owner.mu.Lock()
		defer owner.mu.Unlock()
		before.Owner = owner.spent
	}
	for {
		word := c.word.Load()
		before.Key = unpackSpent(word, now/minuteMillis)
		after, d := before.Take(l, o, now)
		if after.Key != before.Key {
			if !c.word.CompareAndSwap(word, packSpent(after.Key)) {
				continue
			}
			if !c.changed.Load() && c.changed.CompareAndSwap(false, true) {
				m.mu.Lock()
				m.changed = append(m.changed, c)
				m.mu.Unlock()
			}
		}
		if after.Owner != before.Owner {
			m.setOwner(owner, after.Owner)
		}
		return d, nil
	}
}

// setOwner sets what an owner has spent, while the cell is locked.
func (m *Memory) setOwner(c *ownerCell, spent Spent) {
	c.spent = spent
	if !c.changed.Swap(true) {
		m.mu.Lock()
		m.changedOwners = append(m.changedOwners, c)
		m.mu.Unlock()
	}
}

// Look implements [Counter]. Its error is always nil.
func (m *Memory) Look(_ context.Context, keyID string, l Limits, o Owner, now int64) (Decision, error) {
	var word uint64
	if c, ok := m.cells.Load(keyID); ok {
		word = c.(*cell).word.Load()
	}
	spent := Pair{Key: unpackSpent(word, now/minuteMillis)}
	if c, ok := m.owners.Load(o.ID); ok {
		c := c.(*ownerCell)
		c.mu.Lock()
		spent.Owner = c.spent
		c.mu.Unlock()
	}
	return spent.Look(l, o, now), nil
}

// Load sets what keys and owners have spent, as an earlier run stored it. Call it
// before the first Take.
func (m *Memory) Load(states []State) {
	for _, st := range states {
		if st.Owner {
			m.owner(st.ID).spent = st.Spent
		} else {
			m.cell(st.ID).word.Store(packSpent(st.Spent))
		}
	}
}

// Changed returns the states that changed since the last call. It returns each
// change once: the caller must keep the states until they are stored.
func (m *Memory) Changed(now int64) []State {
	m.mu.Lock()
	changed, changedOwners := m.changed, m.changedOwners
	m.changed, m.changedOwners = nil, nil
	m.mu.Unlock()
	var states []State
	for _, c := range changed {
		// Reset the flag first: a Take after state has read what is spent sets it again.
		c.changed.Store(false)
		states = append(states, c.state(now))
	}
	for _, c := range changedOwners {
		c.changed.Store(false)
		states = append(states, c.state())
	}
	return states
}

// all returns all states.
func (m *Memory) all(now int64) (states []State) {
	for _, c := range m.cells.Range {
		states = append(states, c.(*cell).state(now))
	}
	for _, c := range m.owners.Range {
		states = append(states, c.(*ownerCell).state())
	}
	return states
}

func (c *cell) state(now int64) State {
	return State{ID: c.keyID, Spent: unpackSpent(c.word.Load(), now/minuteMillis)}
}

func (c *ownerCell) state() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return State{ID: c.id, Owner: true, Spent: c.spent}
}

// A word is minute (24 bits) | used in the minute (18) | used in the day (22).
// The minute is kept modulo 2^24, which is 32 years, and read as the one
// nearest to now.
const (
	dayBits    = 22
	minuteBits = 18
	clockBits  = 24
)

func packSpent(s Spent) uint64 {
	b := Limits{Minute: s.MinuteUsed, Day: s.DayUsed}.bounded()
	return uint64(s.Minute)<<(dayBits+minuteBits) | uint64(b.Minute)<<dayBits | uint64(b.Day)
}

func unpackSpent(word uint64, near int64) Spent {
	s := Spent{
		MinuteUsed: int(word >> dayBits & MaxMinute),
		DayUsed:    int(word & MaxDay),
	}
	if s.DayUsed == 0 && s.MinuteUsed == 0 {
		return Spent{Minute: near}
	}
	const unused = 64 - clockBits
	ahead := int64(word>>(dayBits+minuteBits)) - near
	s.Minute = near + ahead<<unused>>unused // sign-extended: within 16 years of near
	return s
}

package quota

import (
	"context"
	"sync"
	"sync/atomic"
)

// Memory is a [Counter] within one process. It keeps one 64-bit word per key
// and changes it by compare-and-swap, so that a request is charged to both
// windows or to none, and two requests cannot both take the last free place.
// Create it with [NewMemory].
type Memory struct {
	cells sync.Map // of *cell, by key id

	mu      sync.Mutex
	changed []*cell // since the last call of Changed
}

// cell is what one key has spent. It fills a cache line, so that counts of
// different keys do not slow each other down.
type cell struct {
	keyID   string
	word    atomic.Uint64
	changed atomic.Bool // in Memory.changed
	_       [64 - 16 - 8 - 4]byte
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

// Take implements [Counter]. Its error is always nil.
func (m *Memory) Take(_ context.Context, keyID string, l Limits, now int64) (Decision, error) {
	c := m.cell(keyID)
	for {
		word := c.word.Load()
		before := unpackSpent(word, now/minuteMillis)
		after, d := before.Take(l, now)
		if after == before {
			return d, nil
		}
		if c.word.CompareAndSwap(word, packSpent(after)) {
			if !c.changed.Load() && c.changed.CompareAndSwap(false, true) {
				m.mu.Lock()
				m.changed = append(m.changed, c)
				m.mu.Unlock()
			}
			return d, nil
		}
	}
}

// Look implements [Counter]. Its error is always nil.
func (m *Memory) Look(_ context.Context, keyID string, l Limits, now int64) (Decision, error) {
	var word uint64
	if c, ok := m.cells.Load(keyID); ok {
		word = c.(*cell).word.Load()
	}
	return unpackSpent(word, now/minuteMillis).Look(l, now), nil
}

// Load sets what keys have spent, as an earlier run stored it. Call it before
// the first Take.
func (m *Memory) Load(states []State) {
	for _, st := range states {
		m.cell(st.KeyID).word.Store(packSpent(st.Spent))
	}
}

// Changed returns the states that changed since the last call. It returns each
// change once: the caller must keep the states until they are stored.
func (m *Memory) Changed(now int64) []State {
	m.mu.Lock()
	changed := m.changed
	m.changed = nil
	m.mu.Unlock()
	var states []State
	for _, c := range changed {
		// Reset the flag first: a Take after the Load below sets it again.
		c.changed.Store(false)
		states = append(states, State{KeyID: c.keyID, Spent: unpackSpent(c.word.Load(), now/minuteMillis)})
	}
	return states
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

package quota

import (
	"context"
	"sync"
	"sync/atomic"
)

// Memory is a [Counter] within one process: one 64-bit word per key, changed
// by compare-and-swap, so that a request is charged to both windows or to none
// and no two requests pass on the last free place. Create it with [NewMemory].
type Memory struct {
	shards [shardCount]memoryShard
}

const shardCount = 64

type memoryShard struct {
	mu      sync.RWMutex
	cells   map[string]*cell
	changed []*cell // since the last call of Changed
}

type cell struct {
	keyID  string
	word   atomic.Uint64
	marked atomic.Bool // in the shard's changed list
}

// NewMemory returns a counter in which nobody has spent anything.
func NewMemory() *Memory {
	m := new(Memory)
	for i := range m.shards {
		m.shards[i].cells = make(map[string]*cell)
	}
	return m
}

// Take implements [Counter]. Its error is always nil.
func (m *Memory) Take(_ context.Context, keyID string, l Limits, now int64) (Decision, error) {
	s := &m.shards[shardOf(keyID)]
	c := s.cell(keyID)
	for {
		word := c.word.Load()
		spent, d := unpack(word, now/minuteMillis).Take(l, now)
		if !d.Allowed {
			return d, nil
		}
		if c.word.CompareAndSwap(word, pack(spent)) {
			s.mark(c)
			return d, nil
		}
	}
}

// Look implements [Counter]. Its error is always nil.
func (m *Memory) Look(_ context.Context, keyID string, l Limits, now int64) (Decision, error) {
	var word uint64
	if c := m.shards[shardOf(keyID)].find(keyID); c != nil {
		word = c.word.Load()
	}
	return unpack(word, now/minuteMillis).Look(l, now), nil
}

// Load sets what keys have spent, as stored by an earlier run. It is meant for
// the start, before the first Take.
func (m *Memory) Load(states []State) {
	for _, st := range states {
		m.shards[shardOf(st.KeyID)].cell(st.KeyID).word.Store(pack(st.Spent))
	}
}

// Changed returns the states that changed since the last call. Whoever calls
// it has to keep them until they are stored: it returns each change once.
func (m *Memory) Changed(now int64) []State {
	var states []State
	for i := range m.shards {
		for _, c := range m.shards[i].takeChanged() {
			// The mark goes first: a change after the load below marks anew.
			c.marked.Store(false)
			states = append(states, State{KeyID: c.keyID, Spent: unpack(c.word.Load(), now/minuteMillis)})
		}
	}
	return states
}

func (s *memoryShard) find(keyID string) *cell {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.cells[keyID]
}

func (s *memoryShard) cell(keyID string) *cell {
	if c := s.find(keyID); c != nil {
		return c
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.cells[keyID]
	if c == nil {
		c = &cell{keyID: keyID}
		s.cells[keyID] = c
	}
	return c
}

func (s *memoryShard) mark(c *cell) {
	if c.marked.Load() || !c.marked.CompareAndSwap(false, true) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = append(s.changed, c)
}

func (s *memoryShard) takeChanged() []*cell {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := s.changed
	s.changed = nil
	return changed
}

// A word is minute (24 bits) | used in the minute (18) | used in the day (22).
// The minute is kept modulo 2^24, which is 32 years, and read as the one
// nearest to now.
const (
	dayBits    = 22
	minuteBits = 18
	clockBits  = 24
)

func pack(s Spent) uint64 {
	b := Limits{Minute: s.MinuteUsed, Day: s.DayUsed}.bounded()
	return uint64(s.Minute)<<(dayBits+minuteBits) | uint64(b.Minute)<<dayBits | uint64(b.Day)
}

func unpack(word uint64, near int64) Spent {
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

// shardOf spreads key ids by their FNV-1a hash.
func shardOf(keyID string) uint32 {
	h := uint32(2166136261)
	for i := range len(keyID) {
		h = (h ^ uint32(keyID[i])) * 16777619
	}
	return h % shardCount
}

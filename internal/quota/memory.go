package quota

import (
	"context"
	"hash/maphash"
	"sync"
)

// Memory is a [Counter] within one process: one 64-bit word per key, changed
// by compare-and-swap, so that a request is charged to both windows or to none
// and no two requests pass on the last free place. Create it with [NewMemory].
type Memory struct {
	seed   maphash.Seed
	shards [shardCount]memoryShard
}

const shardCount = 64

// memoryShard holds the keys whose hashes end alike.
type memoryShard struct {
	cells
	marking sync.Mutex
	changed []*cell // since the last call of Changed
}

// NewMemory returns a counter in which nobody has spent anything.
func NewMemory() *Memory { return &Memory{seed: maphash.MakeSeed()} }

// shardOf gives the shard of a key, and the hash by which the shard finds it.
func (m *Memory) shardOf(keyID string) (s *memoryShard, hash uint64) {
	hash = maphash.String(m.seed, keyID)
	return &m.shards[hash%shardCount], hash / shardCount
}

// Take implements [Counter]. Its error is always nil.
func (m *Memory) Take(_ context.Context, keyID string, l Limits, now int64) (Decision, error) {
	s, hash := m.shardOf(keyID)
	c := s.get(keyID, hash)
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
	s, hash := m.shardOf(keyID)
	if c := s.find(keyID, hash); c != nil {
		word = c.word.Load()
	}
	return unpack(word, now/minuteMillis).Look(l, now), nil
}

// Load sets what keys have spent, as stored by an earlier run. It is meant for
// the start, before the first Take.
func (m *Memory) Load(states []State) {
	for _, st := range states {
		s, hash := m.shardOf(st.KeyID)
		s.get(st.KeyID, hash).word.Store(pack(st.Spent))
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

func (s *memoryShard) mark(c *cell) {
	if c.marked.Load() || !c.marked.CompareAndSwap(false, true) {
		return
	}
	s.marking.Lock()
	defer s.marking.Unlock()
	s.changed = append(s.changed, c)
}

func (s *memoryShard) takeChanged() []*cell {
	s.marking.Lock()
	defer s.marking.Unlock()
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

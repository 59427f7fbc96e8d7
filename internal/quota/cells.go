package quota

import (
	"sync"
	"sync/atomic"
)

// cells finds the cell of a key, and makes it if there is none. To find one
// takes no lock: two processors that count at once would otherwise wait for
// each other's cache line, whatever keys they count. The zero value is empty.
//
// It is a hash table with open addressing that only grows: a cell, once in
// its place, stays there until the table is replaced by one twice the size. A
// reader of the old table misses at most what was added since, and then looks
// again under the lock.
type cells struct {
	mu    sync.Mutex // held to add
	table atomic.Pointer[[]atomic.Pointer[cell]]
	count int
}

// cell is what one key has spent. It fills a cache line of its own.
type cell struct {
	keyID  string
	hash   uint64
	word   atomic.Uint64
	marked atomic.Bool // in the shard's changed list
	_      [64 - 16 - 8 - 8 - 4]byte
}

const leastCells = 8 // slots of the first table; a power of two, like all

// find returns the cell of a key, nil if there is none, or if it was added
// after find began.
func (s *cells) find(keyID string, hash uint64) *cell {
	table := s.table.Load()
	if table == nil {
		return nil
	}
	_, c := probe(*table, keyID, hash)
	return c
}

// get returns the cell of a key.
func (s *cells) get(keyID string, hash uint64) *cell {
	if c := s.find(keyID, hash); c != nil {
		return c
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	table := s.roomy()
	free, c := probe(table, keyID, hash)
	if c == nil {
		c = &cell{keyID: keyID, hash: hash}
		table[free].Store(c)
		s.count++
	}
	return c
}

// roomy returns a table that is at most half full with one more cell, so that
// a probe always ends, and soon.
func (s *cells) roomy() []atomic.Pointer[cell] {
	var old []atomic.Pointer[cell]
	if table := s.table.Load(); table != nil {
		old = *table
	}
	if 2*(s.count+1) <= len(old) {
		return old
	}
	table := make([]atomic.Pointer[cell], max(leastCells, 2*len(old)))
	for i := range old {
		if c := old[i].Load(); c != nil {
			free, _ := probe(table, c.keyID, c.hash)
			table[free].Store(c)
		}
	}
	s.table.Store(&table)
	return table
}

// probe returns the cell of a key; if there is none, the slot where it belongs.
func probe(table []atomic.Pointer[cell], keyID string, hash uint64) (slot uint64, c *cell) {
	mask := uint64(len(table) - 1)
	for slot = hash & mask; ; slot = (slot + 1) & mask {
		c = table[slot].Load()
		if c == nil || c.hash == hash && c.keyID == keyID {
			return slot, c
		}
	}
}

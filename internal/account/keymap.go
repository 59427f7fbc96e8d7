package account

import (
	"iter"
	"maps"
	"sync"
	"sync/atomic"
)

const keyShards = 256

// keyMap maps token hashes to known keys. Reading takes no lock: each shard is
// an immutable map, replaced as a whole by writers.
type keyMap struct {
	mu     sync.Mutex // held by writers
	shards [keyShards]atomic.Pointer[map[[32]byte]*known]
}

func (m *keyMap) get(hash [32]byte) *known {
	if shard := m.shards[hash[0]].Load(); shard != nil {
		return (*shard)[hash]
	}
	return nil
}

// put adds and replaces keys. A key that was known keeps its uses.
func (m *keyMap) put(keys []Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	byShard := make(map[byte][]Key)
	for _, k := range keys {
		byShard[k.Hash[0]] = append(byShard[k.Hash[0]], k)
	}
	for i, keys := range byShard {
		shard := m.copyOf(i)
		for _, k := range keys {
			if e := shard[k.Hash]; e != nil {
				e.key.Store(&k)
			} else {
				shard[k.Hash] = newKnown(k)
			}
		}
		m.shards[i].Store(&shard)
	}
}

// addMissing adds a key unless it is known, and returns what is known of it
// then. A lookup may be older than a refresh that overtook it, so it never
// replaces a record.
func (m *keyMap) addMissing(k Key) *known {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.get(k.Hash); e != nil {
		return e
	}
	shard, e := m.copyOf(k.Hash[0]), newKnown(k)
	shard[k.Hash] = e
	m.shards[k.Hash[0]].Store(&shard)
	return e
}

func (m *keyMap) copyOf(shard byte) map[[32]byte]*known {
	if old := m.shards[shard].Load(); old != nil {
		return maps.Clone(*old)
	}
	return make(map[[32]byte]*known)
}

func (m *keyMap) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.shards {
		m.shards[i].Store(nil)
	}
}

// all yields what is known, shard by shard.
func (m *keyMap) all() iter.Seq[*known] {
	return func(yield func(*known) bool) {
		for i := range m.shards {
			shard := m.shards[i].Load()
			if shard == nil {
				continue
			}
			for _, e := range *shard {
				if !yield(e) {
					return
				}
			}
		}
	}
}

func newKnown(k Key) *known {
	e := new(known)
	e.key.Store(&k)
	return e
}

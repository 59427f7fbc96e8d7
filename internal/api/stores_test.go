package api_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"gamedex/internal/account"
	"gamedex/internal/quota"
)

// memoryKeys are keys in memory, as a database has them.
type memoryKeys struct {
	mu      sync.Mutex
	keys    map[string]account.Key
	changed map[string]int64
	seq     int64
	broken  bool
	random  *rand.ChaCha8
}

func newMemoryKeys() *memoryKeys {
	return &memoryKeys{keys: map[string]account.Key{}, changed: map[string]int64{}, random: rand.NewChaCha8([32]byte{})}
}

// Read returns the random bytes of tokens, the same in every run.
func (s *memoryKeys) Read(p []byte) (int, error) { return s.random.Read(p) }

func (s *memoryKeys) save(k account.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	s.keys[k.ID], s.changed[k.ID] = k, s.seq
}

func (s *memoryKeys) breakDown() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = true
}

func (s *memoryKeys) FindKeyByHash(_ context.Context, hash [32]byte) (account.Key, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return account.Key{}, false, errors.New("database is gone")
	}
	for _, k := range s.keys {
		if k.Hash == hash {
			return k, true, nil
		}
	}
	return account.Key{}, false, nil
}

func (s *memoryKeys) KeysSince(_ context.Context, since account.Mark) ([]account.Key, account.Mark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []account.Key
	for id, at := range s.changed {
		if at > since.Change {
			list = append(list, s.keys[id])
		}
	}
	return list, account.Mark{Change: s.seq}, nil
}

func (s *memoryKeys) SaveKeyUses(context.Context, []account.KeyUse) error { return nil }

// noHistory is an empty quota store: what a test counts is in memory.
type noHistory struct{}

func (noHistory) SaveQuota(context.Context, []quota.State) error          { return nil }
func (noHistory) LoadQuota(context.Context, int64) ([]quota.State, error) { return nil, nil }
func (noHistory) SaveUsage(context.Context, quota.UsageBatch) error       { return nil }
func (noHistory) SumUsage(context.Context, string, int64, string) ([]quota.HourCount, int64, error) {
	return nil, 0, nil
}

package account_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"testing"

	"gamedex/internal/account"
)

// memoryKeys stores keys and their change counter in memory like a database, and can
// fail.
type memoryKeys struct {
	mu      sync.Mutex
	epoch   string
	seq     int64
	keys    map[[32]byte]account.Key
	changed map[[32]byte]int64
	uses    map[string]int64
	saves   int
	finds   int
	inside  int // finds running now
	most    int // of them at any time
	down    error
	hang    bool          // calls wait for the end of their context
	found   func()        // called between a find and its return
	block   chan struct{} // if not nil, finds wait for it
}

func newKeys() *memoryKeys {
	return &memoryKeys{keys: map[[32]byte]account.Key{}, changed: map[[32]byte]int64{}, uses: map[string]int64{}}
}

func (s *memoryKeys) enter(ctx context.Context) error {
	s.mu.Lock()
	hang, down := s.hang, s.down
	s.mu.Unlock()
	if hang {
		<-ctx.Done()
	}
	return cmp.Or(ctx.Err(), down)
}

func (s *memoryKeys) FindKeyByHash(ctx context.Context, hash [32]byte) (account.Key, bool, error) {
	s.mu.Lock()
	s.finds++
	s.inside++
	s.most = max(s.most, s.inside)
	block := s.block
	s.mu.Unlock()
	defer s.set(func(s *memoryKeys) { s.inside-- })
	if block != nil {
		<-block
	}
	if err := s.enter(ctx); err != nil {
		return account.Key{}, false, err
	}
	s.mu.Lock()
	k, ok := s.keys[hash]
	found := s.found
	s.mu.Unlock()
	if found != nil {
		found()
	}
	return k, ok, nil
}

func (s *memoryKeys) KeysSince(ctx context.Context, since account.Mark) ([]account.Key, account.Mark, error) {
	if err := s.enter(ctx); err != nil {
		return nil, account.Mark{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []account.Key
	for hash, k := range s.keys {
		if s.changed[hash] > since.Change && (since == account.Mark{} || since.Epoch == s.epoch) {
			keys = append(keys, k)
		}
	}
	return keys, account.Mark{Epoch: s.epoch, Change: s.seq}, nil
}

func (s *memoryKeys) SaveKeyUses(ctx context.Context, uses []account.KeyUse) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saves++
	for _, use := range uses {
		s.uses[use.KeyID] = use.At
	}
	return nil
}

// saved returns how many saves there were, and the last saved use of a key.
func (s *memoryKeys) saved(keyID string) (saves int, at int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saves, s.uses[keyID]
}

func (s *memoryKeys) set(change func(s *memoryKeys)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *memoryKeys) put(k account.Key) {
	s.set(func(s *memoryKeys) {
		s.seq++
		s.keys[k.Hash], s.changed[k.Hash] = k, s.seq
	})
}

// create stores a new key and returns it with its token.
func (s *memoryKeys) create(t *testing.T, name string) (account.Key, string) {
	t.Helper()
	k, token, err := account.Draft{Name: name}.Issue(now(), rand.Reader)
	must(t, err)
	s.put(k)
	return k, token
}

// must ends the test if err is not nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantIs checks that err wraps want; what says of which call.
func wantIs(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// one drops what a call returns besides its error.
func one[T any](_ T, err error) error { return err }

func two[T, U any](_ T, _ U, err error) error { return err }

package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Why a token was not answered with a key.
var (
	ErrMalformed   = errors.New("malformed token")       // no lookup was made
	ErrUnknown     = errors.New("unknown key")           // the store has no such key
	ErrUnavailable = errors.New("key lookup impossible") // nobody knows
)

const (
	pollEvery   = 500 * time.Millisecond // changes are in force within 2 s
	pollTimeout = time.Second
	loadTimeout = 30 * time.Second // for all keys
	saveTimeout = 5 * time.Second
	usesEvery   = 10 * time.Second
	usesBatch   = 1000
	usesGrain   = 1000 // milliseconds: LastUsedAt is no finer, to spare writes
)

// Cache holds the keys of a store in memory, revoked ones included, and keeps
// them fresh while [Cache.Run] runs. It may be used from any goroutine. Create
// it with [NewCache].
type Cache struct {
	store   Store
	now     func() int64
	log     *slog.Logger
	known   keyMap
	lookups *lookups

	refresh sync.Mutex // one Refresh at a time; guards seq
	seq     int64
	saving  sync.Mutex // one SaveUses at a time; guards known.saved
}

// known is a cached key. Its record is replaced when the key changes.
type known struct {
	key   atomic.Pointer[Key]
	used  atomic.Int64 // last use seen by this process; 0 none
	saved int64        // of used, as stored
}

// NewCache returns a cache that holds no key yet: see [Cache.Refresh].
func NewCache(store Store, now func() int64, log *slog.Logger) *Cache {
	c := &Cache{store: store, now: now, log: log}
	c.lookups = newLookups(store.FindKeyByHash, now)
	return c
}

// Find returns the key of a token, in whatever state, and notes the use of an
// active one. The error is ErrMalformed, ErrUnknown or, wrapped,
// ErrUnavailable.
//
// A known key takes one hash and one map access. A token that looks good and
// is not known is looked up in the store, so a new key works at once.
func (c *Cache) Find(ctx context.Context, token string) (Key, error) {
	if !CheckToken(token) {
		return Key{}, ErrMalformed
	}
	hash := HashToken(token)
	if e := c.known.get(hash); e != nil {
		return c.use(e), nil
	}
	k, err := c.lookups.find(ctx, hash)
	if err != nil {
		return Key{}, err
	}
	return c.use(c.known.addMissing(k)), nil
}

// use returns the key of e, used now if it is active.
func (c *Cache) use(e *known) Key {
	k, now := *e.key.Load(), c.now()
	used := e.used.Load()
	if k.Status(now) == StatusActive {
		if now-used >= usesGrain {
			e.used.Store(now)
		}
		used = now
	}
	k.LastUsedAt = max(k.LastUsedAt, used)
	return k
}

// Run refreshes the cache every 500 ms and saves uses every 10 s, until ctx
// ends; then it saves uses once more. While the store does not answer, known
// keys go on as they were. Its error is that of the last save.
func (c *Cache) Run(ctx context.Context) error {
	var polls, saves streak
	poll, save := time.NewTicker(pollEvery), time.NewTicker(usesEvery)
	defer poll.Stop()
	defer save.Stop()
	for {
		select {
		case <-ctx.Done():
			return c.SaveUses(context.WithoutCancel(ctx))
		case <-poll.C:
			polls.report(ctx, c.log, "keys refreshed from the database", c.Refresh(ctx))
		case <-save.C:
			saves.report(ctx, c.log, "last uses of keys saved", c.SaveUses(ctx))
		}
	}
}

// streak logs the first of several failures, and the end of them.
type streak struct{ failing bool }

func (s *streak) report(ctx context.Context, log *slog.Logger, what string, err error) {
	switch {
	case ctx.Err() != nil:
		return // stopping is no failure
	case err != nil && !s.failing:
		log.Error("not "+what+"; known keys go on, retrying", "error", err)
	case err == nil && s.failing:
		log.Info("again " + what)
	}
	s.failing = err != nil
}

// Refresh brings in what changed since the last call; the first brings all
// keys.
func (c *Cache) Refresh(ctx context.Context) error {
	c.refresh.Lock()
	defer c.refresh.Unlock()
	keys, upTo, err := c.keysSince(ctx, c.seq)
	if err == nil && upTo < c.seq {
		// The counter went back: a restored database. Nothing known holds.
		if keys, upTo, err = c.keysSince(ctx, 0); err == nil {
			c.known.clear()
		}
	}
	if err != nil {
		return fmt.Errorf("refresh keys: %w", err)
	}
	c.known.put(keys)
	c.seq = upTo
	return nil
}

// keysSince has more time for all keys than for the few that changed.
func (c *Cache) keysSince(ctx context.Context, seq int64) ([]Key, int64, error) {
	timeout := pollTimeout
	if seq == 0 {
		timeout = loadTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return c.store.KeysSince(ctx, seq)
}

// SaveUses saves when keys were last used, as far as the store does not know
// it. What could not be saved is tried again by the next call.
func (c *Cache) SaveUses(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	c.saving.Lock()
	defer c.saving.Unlock()
	for batch := range slices.Chunk(c.unsaved(), usesBatch) {
		uses := make([]KeyUse, len(batch))
		for i, e := range batch {
			uses[i] = KeyUse{KeyID: e.key.Load().ID, At: e.used.Load()}
		}
		if err := c.store.SaveKeyUses(ctx, uses); err != nil {
			return fmt.Errorf("save key uses: %w", err)
		}
		for i, e := range batch {
			e.saved = uses[i].At
		}
	}
	return nil
}

func (c *Cache) unsaved() []*known {
	var list []*known
	for e := range c.known.all() {
		if e.used.Load() > e.saved {
			list = append(list, e)
		}
	}
	return list
}

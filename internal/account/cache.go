package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// Why [Cache.Find] returned no key.
var (
	ErrMalformed   = errors.New("malformed token")   // there was no lookup
	ErrUnknown     = errors.New("unknown key")       // the database has no such key
	ErrUnavailable = errors.New("key lookup failed") // the database did not answer
)

const (
	pollEvery   = 500 * time.Millisecond // changes take effect within 2 s
	pollTimeout = time.Second
	loadTimeout = 30 * time.Second // for all keys
	saveTimeout = 5 * time.Second
	usesEvery   = 10 * time.Second
	usesBatch   = 1000
	usesGrain   = 1000 // milliseconds: the precision of LastUsedAt, to save writes
)

// Cache holds all keys of a database in memory, revoked ones too for [RevokedKept], and
// refreshes them while [Cache.Run] runs. It is safe for concurrent use. Create it with
// [NewCache].
type Cache struct {
	stored Keys
	now    func() int64
	log    *slog.Logger
	known  sync.Map // of *knownKey, by hash
	owners sync.Map // of []*knownKey, by user id: their keys that are not revoked

	lookups  singleflight.Group
	running  chan struct{} // lookups in the database
	waiting  chan struct{} // their callers
	refusing sync.Mutex
	refused  map[[32]byte]int64 // when to look again, by some of the last hashes that no key has

	refresh sync.Mutex // one change of known and owners at a time; guards upTo
	upTo    Mark       // what known has
	trouble atomic.Pointer[error]
	asOf    atomic.Int64 // when the database was last asked with success; 0: never
	epoch   atomic.Value // upTo.Epoch, a string
	saving  sync.Mutex   // one SaveUses at a time; guards knownKey.saved
}

// knownKey is a cached key. Its record is replaced when the key changes.
type knownKey struct {
	key   atomic.Pointer[Key]
	used  atomic.Int64 // last use seen by this process; 0: none
	saved int64        // the stored value of used
}

// NewCache returns an empty cache: see [Cache.Refresh].
func NewCache(stored Keys, now func() int64, log *slog.Logger) *Cache {
	return &Cache{stored: stored, now: now, log: log, running: make(chan struct{}, lookupsAtOnce),
		waiting: make(chan struct{}, lookupsWaiting), refused: make(map[[32]byte]int64)}
}

// Find returns the key of a token in any state, and records the use of an active
// key. The error is ErrMalformed, ErrUnknown or, wrapped, ErrUnavailable.
//
// Find looks up a valid token that is not in the cache in the database, so that a
// new key works at once.
func (c *Cache) Find(ctx context.Context, token string) (Key, error) {
	if !CheckToken(token) {
		return Key{}, ErrMalformed
	}
	hash := HashToken(token)
	cached, ok := c.known.Load(hash)
	if !ok {
		k, err := c.findKey(ctx, hash)
		if err != nil {
			return Key{}, err
		}
		cached = c.admit(ctx, k)
	}
	known := cached.(*knownKey)
	k, now := *known.key.Load(), c.now()
	used := known.used.Load()
	if k.Status(now) == StatusActive {
		if now-used >= usesGrain {
			known.used.Store(now)
		}
		used = now
	}
	k.LastUsedAt = max(k.LastUsedAt, used)
	return k, nil
}

// LastUsed returns when the key with this hash was used last, in Unix milliseconds;
// 0 if this process does not know. It knows uses before they are saved.
func (c *Cache) LastUsed(hash [32]byte) int64 {
	known, ok := c.known.Load(hash)
	if !ok {
		return 0
	}
	return known.(*knownKey).used.Load()
}

// admit adds a key that was looked up. It refreshes the cache first: if a key was
// revoked for this one, the limits of both must not count together.
func (c *Cache) admit(ctx context.Context, k Key) *knownKey {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	c.refresh.Lock()
	defer c.refresh.Unlock()
	if known, ok := c.known.Load(k.Hash); ok {
		return known.(*knownKey)
	}
	if k.UserID != "" {
		_ = c.load(ctx) // Run repeats and reports what fails
	}
	if known, ok := c.known.Load(k.Hash); ok {
		return known.(*knownKey)
	}
	return c.put(k)
}

// OwnerLimits returns the sums of the limits of a user's active keys in the cache.
// A key without limits adds minute and day.
func (c *Cache) OwnerLimits(userID string, minute, day int) (sumMinute, sumDay int) {
	now := c.now()
	for _, known := range c.ownedBy(userID) {
		if k := known.key.Load(); k.Status(now) == StatusActive {
			sumMinute += cmp.Or(k.LimitMinute, minute)
			sumDay += cmp.Or(k.LimitDay, day)
		}
	}
	return sumMinute, sumDay
}

// ownedBy returns the cached keys of a user that are not revoked. They must not be
// changed.
func (c *Cache) ownedBy(userID string) []*knownKey {
	keys, _ := c.owners.Load(userID)
	owned, _ := keys.([]*knownKey)
	return owned
}

// Run refreshes the cache every 500 ms and saves uses every 10 s until ctx
// ends, and saves uses once more then. Known keys keep working while the database
// does not answer. Run returns the error of the last save.
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
			err := c.Refresh(ctx)
			polls.logChange(ctx, c.log, "refreshing keys", err)
			c.trouble.Store(&err)
		case <-save.C:
			saves.logChange(ctx, c.log, "saving the last uses of keys", c.SaveUses(ctx))
			c.forgetRevoked()
		}
	}
}

// Trouble returns the error of the last refresh; nil if it succeeded.
func (c *Cache) Trouble() error {
	if err := c.trouble.Load(); err != nil {
		return *err
	}
	return nil
}

// AsOf returns when the cache was last as the database is, in Unix milliseconds; 0: never.
// While the database does not answer, later changes of keys are not in force.
func (c *Cache) AsOf() int64 { return c.asOf.Load() }

// Epoch returns the epoch of the database that the cache is of, without waiting; "" if the database
// was never read.
func (c *Cache) Epoch() string {
	epoch, _ := c.epoch.Load().(string)
	return epoch
}

// forgetRevoked removes the keys that the database no longer keeps. A key that it still
// has is looked up again if somebody uses it.
func (c *Cache) forgetRevoked() {
	before := c.now() - RevokedKept
	for hash, known := range c.known.Range {
		if k := known.(*knownKey).key.Load(); k.RevokedAt != 0 && k.RevokedAt < before {
			c.known.Delete(hash)
		}
	}
}

// streak logs the first of several failures, and the first success after them.
type streak struct{ failing bool }

func (s *streak) logChange(ctx context.Context, log *slog.Logger, what string, err error) {
	switch {
	case ctx.Err() != nil:
		return // stopping is not a failure
	case err != nil && !s.failing:
		log.Error(what+" failed; known keys keep working; it will be tried again", "error", err)
	case err == nil && s.failing:
		log.Info(what + " works again")
	}
	s.failing = err != nil
}

// Refresh loads the keys that changed since the last call. The first call loads
// all keys.
func (c *Cache) Refresh(ctx context.Context) error {
	c.refresh.Lock()
	defer c.refresh.Unlock()
	return c.load(ctx)
}

// load is Refresh while refresh is locked.
func (c *Cache) load(ctx context.Context) error {
	asked := c.now()
	keys, upTo, err := c.keysSince(ctx, c.upTo)
	if err == nil && c.upTo != (Mark{}) && (upTo.Epoch != c.upTo.Epoch || upTo.Change < c.upTo.Change) {
		// The database was restored, or lacks the last commits after a failover: load
		// all keys again.
		if keys, upTo, err = c.keysSince(ctx, Mark{}); err == nil {
			c.log.Warn("the database was restored, or its standby was promoted; all keys are read again")
			c.forgetOthers(keys)
		}
	}
	if err != nil {
		return fmt.Errorf("refresh keys: %w", err)
	}
	for _, k := range keys {
		c.put(k)
	}
	c.upTo = upTo
	c.asOf.Store(asked)
	c.epoch.Store(upTo.Epoch)
	return nil
}

// forgetOthers removes all keys but some, which keep their uses.
func (c *Cache) forgetOthers(keys []Key) {
	keep := make(map[[32]byte]bool, len(keys))
	for i := range keys {
		keep[keys[i].Hash] = true
	}
	for hash, known := range c.known.Range {
		if !keep[hash.([32]byte)] {
			c.known.Delete(hash)
			c.disown(known.(*knownKey))
		}
	}
}

// put replaces the record of a key, which keeps its uses, or adds it. The caller
// has locked refresh.
func (c *Cache) put(k Key) *knownKey {
	known := new(knownKey)
	known.key.Store(&k)
	if cached, ok := c.known.LoadOrStore(k.Hash, known); ok {
		known = cached.(*knownKey)
		c.disown(known)
		known.key.Store(&k)
	}
	if k.UserID != "" && k.RevokedAt == 0 {
		c.owners.Store(k.UserID, append(slices.Clip(c.ownedBy(k.UserID)), known))
	}
	return known
}

// disown removes a key from those of its owner.
func (c *Cache) disown(known *knownKey) {
	userID := known.key.Load().UserID
	rest := slices.DeleteFunc(slices.Clone(c.ownedBy(userID)), func(k *knownKey) bool { return k == known })
	if len(rest) == 0 {
		c.owners.Delete(userID)
		return
	}
	c.owners.Store(userID, rest)
}

// keysSince allows more time for all keys than for the few that changed.
func (c *Cache) keysSince(ctx context.Context, since Mark) ([]Key, Mark, error) {
	timeout := pollTimeout
	if since == (Mark{}) {
		timeout = loadTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return c.stored.KeysSince(ctx, since)
}

// SaveUses saves the last uses that the database does not have yet. The next call saves
// those that this one could not save.
func (c *Cache) SaveUses(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	c.saving.Lock()
	defer c.saving.Unlock()
	var unsaved []*knownKey
	for _, known := range c.known.Range {
		if known := known.(*knownKey); known.used.Load() > known.saved {
			unsaved = append(unsaved, known)
		}
	}
	for batch := range slices.Chunk(unsaved, usesBatch) {
		uses := make([]KeyUse, len(batch))
		for i, known := range batch {
			uses[i] = KeyUse{KeyID: known.key.Load().ID, At: known.used.Load()}
		}
		if err := c.stored.SaveKeyUses(ctx, uses); err != nil {
			return fmt.Errorf("save key uses: %w", err)
		}
		for i, known := range batch {
			known.saved = uses[i].At
		}
	}
	return nil
}

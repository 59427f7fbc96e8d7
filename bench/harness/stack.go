package harness

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/index"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
)

// Stack is the product's chain of HTTP handlers, set up as the program does: front,
// key, limits and API.
type Stack struct {
	*serve.Front
	Tokens []string
	Keys   *account.Cache
}

// AnswerCache is the size of the program's cache of items, in bytes.
const AnswerCache = 64 << 20

// NewStack returns the handlers for a view, with keys in memory and a cache of items of cache bytes.
func NewStack(ctx context.Context, v *index.View, keys int, cache int64, now func() time.Time, log *slog.Logger) (*Stack, error) {
	millis := func() int64 { return now().UnixMilli() }
	s := &Stack{}
	store := fixedKeys{}
	for range keys {
		key, token, err := account.Draft{Name: "bench", LimitMinute: quota.MaxMinute, LimitDay: quota.MaxDay}.Issue(time.Now().UnixMilli(), rand.Reader)
		if err != nil {
			return nil, err
		}
		store[key.Hash], s.Tokens = key, append(s.Tokens, token)
	}
	s.Keys = account.NewCache(store, millis, log)
	if err := s.Keys.Refresh(ctx); err != nil {
		return nil, err
	}
	live := new(index.Live)
	live.Swap(v)
	handler := api.New(api.Config{
		Version: "bench", ConsoleName: "Console Store", PCName: "PC Store",
		Limits: quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay}, Clock: now, Live: live, Keys: s.Keys,
		Counter: quota.NewMemory(), Usage: quota.NewUsage("bench", nil), // no request reads the history
		AnswerCache: cache,
	})
	s.Front = &serve.Front{Next: handler, Log: log, Rand: rand.Reader, Now: now, OnPanic: handler.InternalError}
	return s, nil
}

// fixedKeys are keys that never change, by hash.
type fixedKeys map[[32]byte]account.Key

// FindKeyByHash implements [account.Keys].
func (s fixedKeys) FindKeyByHash(_ context.Context, hash [32]byte) (account.Key, bool, error) {
	key, ok := s[hash]
	return key, ok, nil
}

// KeysSince implements [account.Keys].
func (s fixedKeys) KeysSince(_ context.Context, since account.Mark) (keys []account.Key, last account.Mark, err error) {
	if since == (account.Mark{}) {
		for _, key := range s {
			keys = append(keys, key)
		}
	}
	return keys, account.Mark{Change: 1}, nil
}

// SaveKeyUses implements [account.Keys]. It discards them.
func (fixedKeys) SaveKeyUses(context.Context, []account.KeyUse) error { return nil }

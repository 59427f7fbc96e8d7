package stands

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gamedex/bench/published"
	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/index"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
)

// stackKeys is how many keys there are; the load takes them in turn.
const stackKeys = 64

// stack is the service, put together as the program does it: the connection's
// limits, request id, panic guard, metrics, routes, the key,
// both windows, usage and headers are all there. It prints its keys.
func stack(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("name the folder of the snapshots")
	}
	view, err := published.View(ctx, args[0])
	if err != nil {
		return err
	}
	live := new(index.Live)
	live.Swap(view)
	millis := func() int64 { return time.Now().UnixMilli() }
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, tokens, err := newStore(millis())
	if err != nil {
		return err
	}
	keys := account.NewCache(store, millis, log)
	if err := keys.Refresh(ctx); err != nil {
		return err
	}
	metrics, err := serve.NewMetrics(prometheus.NewRegistry())
	if err != nil {
		return err
	}
	wire := api.New(api.Config{
		Version: "bench", ConsoleName: "Console Store", PCName: "PC Store",
		Limits: quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay},
		Clock:  time.Now, Live: live, Keys: keys,
		Counter: quota.NewMemory(), Usage: quota.NewUsage("bench", nil), // account/me asks for no history
	})
	server, err := serve.Listen(serve.Config{Addr: "127.0.0.1:0", Log: log, Handler: &serve.Front{
		Next: wire, Log: log, Metrics: metrics, Rand: rand.Reader, Now: time.Now, OnPanic: wire.InternalError,
	}})
	if err != nil {
		return err
	}
	go keys.Run(ctx)
	hello(out, server.Addr(), tokens...)
	return server.Run(ctx)
}

// store is a store of keys that never change.
type store struct {
	keys   []account.Key
	byHash map[[32]byte]account.Key
}

func newStore(now int64) (*store, []string, error) {
	s := &store{byHash: map[[32]byte]account.Key{}}
	var tokens []string
	for range stackKeys {
		key, token, err := account.Draft{Name: "bench", LimitMinute: quota.MaxMinute, LimitDay: quota.MaxDay}.Issue(now, rand.Reader)
		if err != nil {
			return nil, nil, err
		}
		s.keys, tokens = append(s.keys, key), append(tokens, token)
		s.byHash[key.Hash] = key
	}
	return s, tokens, nil
}

// FindKeyByHash implements [account.Store].
func (s *store) FindKeyByHash(_ context.Context, hash [32]byte) (account.Key, bool, error) {
	key, ok := s.byHash[hash]
	return key, ok, nil
}

// KeysSince implements [account.Store].
func (s *store) KeysSince(_ context.Context, seq int64) ([]account.Key, int64, error) {
	if seq > 0 {
		return nil, 1, nil
	}
	return s.keys, 1, nil
}

// SaveKeyUses implements [account.Store]: nobody reads them here.
func (s *store) SaveKeyUses(context.Context, []account.KeyUse) error { return nil }

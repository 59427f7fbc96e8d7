package servers

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/prometheus/client_golang/prometheus"

	"gamedex/bench/harness"
	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/index"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
)

// stackKeys is the number of keys. The load uses them in turn.
const stackKeys = 64

// runStack serves the product's handlers, set up as the program does: connection
// limits, request ids, panic guard, metrics, routes, keys, both rate limits,
// usage and headers. It prints its keys.
func runStack(ctx context.Context, args []string, out io.Writer) error {
	view, err := harness.OpenView(ctx, args[0])
	if err != nil {
		return err
	}
	live := new(index.Live)
	live.Swap(view)
	millis := func() int64 { return time.Now().UnixMilli() }
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, tokens, err := newKeyStore(millis())
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
	handler := api.New(api.Config{
		Version: "bench", ConsoleName: "Console Store", PCName: "PC Store",
		Limits: quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay},
		Clock:  time.Now, Live: live, Keys: keys,
		Counter: quota.NewMemory(), Usage: quota.NewUsage("bench", nil), // account/me reads no history
	})
	front := &serve.Front{Next: handler, Log: log, Metrics: metrics, Rand: rand.Reader, Now: time.Now, OnPanic: handler.InternalError}
	if len(args) > 1 {
		if front.Next, err = klauspost(handler, args[1]); err != nil {
			return err
		}
	}
	server, err := serve.Listen(serve.Config{Addr: "127.0.0.1:0", Log: log, Handler: front})
	if err != nil {
		return err
	}
	go keys.Run(ctx)
	fmt.Fprintf(out, "http://%s\n%s\n\n", server.Addr(), strings.Join(tokens, "\n"))
	return server.Run(ctx)
}

// klauspost compresses all answers with a level of klauspost/compress.
func klauspost(next http.Handler, levelText string) (http.Handler, error) {
	level, err := strconv.Atoi(levelText)
	if err != nil {
		return nil, errors.New("the level is a number from 1 to 9")
	}
	if _, err := gzip.NewWriterLevel(io.Discard, level); err != nil {
		return nil, err
	}
	writers := sync.Pool{New: func() any {
		z, _ := gzip.NewWriterLevel(io.Discard, level)
		return z
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		z := writers.Get().(*gzip.Writer)
		defer writers.Put(z)
		z.Reset(w)
		r.Header.Set("Accept-Encoding", "identity")
		next.ServeHTTP(gzipWriter{w, z}, r)
		_ = z.Close() // the client may be gone
	}), nil
}

// gzipWriter compresses a plain answer.
type gzipWriter struct {
	http.ResponseWriter
	z *gzip.Writer
}

// WriteHeader implements [http.ResponseWriter].
func (w gzipWriter) WriteHeader(status int) {
	w.Header().Del("Content-Length")
	w.Header().Set("Content-Encoding", "gzip")
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w gzipWriter) Write(p []byte) (int, error) { return w.z.Write(p) }

// keyStore is a store of keys that never change.
type keyStore struct {
	keys   []account.Key
	byHash map[[32]byte]account.Key
}

func newKeyStore(now int64) (*keyStore, []string, error) {
	s := &keyStore{byHash: map[[32]byte]account.Key{}}
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
func (s *keyStore) FindKeyByHash(_ context.Context, hash [32]byte) (account.Key, bool, error) {
	key, ok := s.byHash[hash]
	return key, ok, nil
}

// KeysSince implements [account.Store].
func (s *keyStore) KeysSince(_ context.Context, seq int64) ([]account.Key, int64, error) {
	if seq > 0 {
		return nil, 1, nil
	}
	return s.keys, 1, nil
}

// SaveKeyUses implements [account.Store]. It discards them.
func (s *keyStore) SaveKeyUses(context.Context, []account.KeyUse) error { return nil }

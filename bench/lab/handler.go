package lab

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/index"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
	"gamedex/internal/sqldb"
)

// Handler is the service's whole stack of handlers in this process: front, key,
// limits and API, over a real database for keys. It is for one goroutine.
type Handler struct {
	next  http.Handler
	token string
}

// Handler answers from a view.
func (l *Lab) Handler(ctx context.Context, v *index.View) (*Handler, error) {
	dir, err := os.MkdirTemp(l.Dir, "handler-")
	if err != nil {
		return nil, err
	}
	db, err := sqldb.Open(ctx, "sqlite:"+dir+"/keys.db", sqldb.Options{Create: true})
	if err != nil {
		return nil, err
	}
	l.AtEnd(db.Close)
	key, token, err := account.Draft{Name: "bench", LimitMinute: quota.MaxMinute, LimitDay: quota.MaxDay}.Issue(time.Now().UnixMilli(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if err := db.CreateKey(ctx, key, account.By{}); err != nil {
		return nil, err
	}
	clock := new(steppingClock)
	live := new(index.Live)
	live.Swap(v)
	handler := api.New(api.Config{
		Version: "bench", ConsoleName: "Console Store", PCName: "PC Store",
		Limits: quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay}, Clock: clock.now, Live: live,
		Keys:    account.NewCache(db, func() int64 { return clock.now().UnixMilli() }, slog.New(slog.DiscardHandler)),
		Counter: quota.NewMemory(), Usage: quota.NewUsage("bench", db), NoListings: "no listings",
	})
	front := &serve.Front{
		Next: handler, Log: slog.New(slog.DiscardHandler), Rand: rand.Reader, Now: clock.now, OnPanic: handler.InternalError,
	}
	return &Handler{next: front, token: token}, nil
}

// steppingClock begins a new minute every hundred thousand looks, so that no
// measurement comes to the limit of its key.
type steppingClock struct{ looks atomic.Int64 }

func (c *steppingClock) now() time.Time {
	minutes := c.looks.Add(1) / 100_000
	return time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC).Add(time.Duration(minutes) * time.Minute)
}

// Get makes a request for a path under /api/v1 that can be sent again and again.
func (h *Handler) Get(path string) *http.Request { return h.request(http.MethodGet, path, "") }

// Prices makes a request for the bulk prices of ids.
func (h *Handler) Prices(ids []string) *http.Request {
	r := h.request(http.MethodPost, "/catalog/prices", PricesBody(ids))
	r.Header.Set("Content-Type", "application/json")
	return r
}

func (h *Handler) request(method, path, body string) *http.Request {
	r, err := http.NewRequest(method, "http://127.0.0.1/api/v1"+path, rewound(body))
	if err != nil {
		panic(err) // the paths are ours
	}
	r.ContentLength, r.RemoteAddr = int64(len(body)), "127.0.0.1:50000"
	r.RequestURI = r.URL.RequestURI()
	r.Header.Set("Authorization", "Bearer "+h.token)
	return r
}

// body is read again from its start by every request.
type body struct{ strings.Reader }

func (*body) Close() error { return nil }

func rewound(text string) io.ReadCloser {
	b := new(body)
	b.Reset(text)
	return b
}

// Do answers a request into w, which it empties before.
func (h *Handler) Do(r *http.Request, w *Discard) error {
	if b, ok := r.Body.(*body); ok {
		if _, err := b.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	w.reset()
	h.next.ServeHTTP(w, r)
	if w.Status != http.StatusOK {
		return fmt.Errorf("%s %s is answered %d", r.Method, r.URL, w.Status)
	}
	return nil
}

// Answer is the body of the answer to a request.
func (h *Handler) Answer(r *http.Request) ([]byte, error) {
	w := Discard{Keep: true}
	err := h.Do(r, &w)
	return w.Body, err
}

// Discard is where answers go in this process: counted, and kept if Keep is
// set.
type Discard struct {
	Status int
	Bytes  int
	Keep   bool
	Body   []byte
	header http.Header
}

func (w *Discard) reset() {
	w.Status, w.Bytes, w.Body = 0, 0, w.Body[:0]
	if w.header == nil {
		w.header = http.Header{}
	}
	clear(w.header)
}

// Header is as http.ResponseWriter has it.
func (w *Discard) Header() http.Header { return w.header }

// WriteHeader notes the first status.
func (w *Discard) WriteHeader(status int) {
	if w.Status == 0 {
		w.Status = status
	}
}

// Write takes everything.
func (w *Discard) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.Bytes += len(p)
	if w.Keep {
		w.Body = append(w.Body, p...)
	}
	return len(p), nil
}

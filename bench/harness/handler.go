package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// Handler is a [Stack] in this process. It is not safe for concurrent use.
type Handler struct {
	next  http.Handler
	token string
}

// NewHandler returns a handler for a view, with the program's cache of items.
func NewHandler(ctx context.Context, v *index.View) (*Handler, error) {
	return NewHandlerCaching(ctx, v, AnswerCache)
}

// NewHandlerCaching is NewHandler with a cache of items of cache bytes; 0: none.
func NewHandlerCaching(ctx context.Context, v *index.View, cache int64) (*Handler, error) {
	stack, err := NewStack(ctx, v, 1, cache, new(steppingClock).now, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	return &Handler{stack, stack.Tokens[0]}, nil
}

// Now is the time at which a [Handler] answers its first requests.
var Now = time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC)

// steppingClock advances by a minute every hundred thousand calls, so that the
// key never reaches its limit.
type steppingClock struct{ calls atomic.Int64 }

func (c *steppingClock) now() time.Time {
	return Now.Add(time.Duration(c.calls.Add(1)/100_000) * time.Minute)
}

// Get returns a request for a path under /api/v1. It can be sent repeatedly.
func (h *Handler) Get(path string) *http.Request { return h.request(http.MethodGet, path, "") }

// Options has the fields of a request for bulk prices besides ids.
type Options map[string]string

// Prices returns a request for the bulk prices of ids. It can be sent repeatedly.
func (h *Handler) Prices(ids []string, options Options) *http.Request {
	r := h.request(http.MethodPost, "/catalog/prices", PricesBody(ids, options))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// PricesBody returns the body of a request for bulk prices.
func PricesBody(ids []string, options Options) string {
	request := map[string]any{"ids": ids}
	for name, value := range options {
		request[name] = value
	}
	body, err := json.Marshal(request)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(body)
}

// CardPath returns the API's path of a card, below /api/v1.
func CardPath(c index.Card) string {
	if c.Platform() == catalog.PCStore {
		return "/catalog/pcstore/games/" + c.ID()
	}
	return "/catalog/games/" + c.ID()
}

func (h *Handler) request(method, path, body string) *http.Request {
	r, err := http.NewRequest(method, "http://127.0.0.1/api/v1"+path, &rewindable{*strings.NewReader(body)})
	if err != nil {
		panic(err) // the paths are our own
	}
	r.ContentLength, r.RemoteAddr = int64(len(body)), "127.0.0.1:50000"
	r.RequestURI = r.URL.RequestURI()
	r.Header.Set("Authorization", "Bearer "+h.token)
	return r
}

// rewindable is a body that each request reads from its start.
type rewindable struct{ strings.Reader }

func (*rewindable) Close() error { return nil }

// Do serves a request. It empties w first.
func (h *Handler) Do(r *http.Request, w *ResponseWriter) error {
	if _, err := r.Body.(*rewindable).Seek(0, io.SeekStart); err != nil {
		return err
	}
	w.reset()
	h.next.ServeHTTP(w, r)
	if w.Status != http.StatusOK {
		return fmt.Errorf("%s %s: status %d", r.Method, r.URL, w.Status)
	}
	return nil
}

// Answer serves a request and returns the body of the answer.
func (h *Handler) Answer(r *http.Request) ([]byte, error) {
	w := ResponseWriter{Keep: true}
	err := h.Do(r, &w)
	return w.Body, err
}

// ResponseWriter discards an answer, or keeps it if Keep is set.
type ResponseWriter struct {
	Status int
	Keep   bool
	Body   []byte
	header http.Header
}

func (w *ResponseWriter) reset() {
	w.Status, w.Body = 0, w.Body[:0]
	if w.header == nil {
		w.header = http.Header{}
	}
	clear(w.header)
}

// Header implements [http.ResponseWriter].
func (w *ResponseWriter) Header() http.Header { return w.header }

// WriteHeader implements [http.ResponseWriter].
func (w *ResponseWriter) WriteHeader(status int) {
	if w.Status == 0 {
		w.Status = status
	}
}

// Write implements [http.ResponseWriter].
func (w *ResponseWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.Keep {
		w.Body = append(w.Body, p...)
	}
	return len(p), nil
}

package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = time.Minute     // header and body
	answerTimeout     = 5 * time.Minute // from the end of the header to that of the answer
	// A proxy that closes its idle connections first never sends a request on one that is being
	// closed. Caddy keeps them for two minutes.
	idleTimeout = 3 * time.Minute
	// The standard library reads 4 KiB more than MaxHeaderBytes before it
	// answers 431: together 160 KiB, which a thousand of the longest ids need.
	maxHeaderBytes = 160<<10 - 4<<10
)

// Config is the configuration of a [Server].
type Config struct {
	Addr    string // "host:port"; port 0 takes a free one
	Handler http.Handler
	Log     *slog.Logger

	// WriteTimeout is how long a client may take for 64 KiB of an answer; 0 is
	// 30 s. The time before the answer begins does not count.
	WriteTimeout time.Duration
	// Drain returns how long the listener stays open after Run's context ended, for
	// load balancers that have not noticed yet; nil: no time at all. Run calls it then.
	Drain func() time.Duration
	// FinishTimeout is how long requests may continue after that; 0 is 10 s.
	FinishTimeout time.Duration
	// HeaderMemory bounds the bytes beyond 32 KiB of the request line and headers of
	// each request, for all requests in progress; 0 is 64 MiB. Requests that would
	// exceed it are answered with 503.
	HeaderMemory int64
	// MaxConns is the maximum number of open connections; 0 is 10,000, or what the
	// limit of open files allows. Further clients wait.
	MaxConns int
	// Proxies may have any number of the connections.
	Proxies Proxies
}

// Server is a listening HTTP server. Create it with [Listen].
type Server struct {
	listener net.Listener
	http     *http.Server
	drain    func() time.Duration
	finish   time.Duration
	log      *slog.Logger
	stopping atomic.Bool
}

// Listen opens the listener, so that it fails at once if the port is in use. Its error begins with the
// address and has no names of system calls: "127.0.0.1:80: permission denied". [Server.Run] answers the clients.
func Listen(c Config) (*Server, error) {
	listener, err := net.Listen("tcp", c.Addr)
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		err = call.Err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Addr, err)
	}
	c.WriteTimeout = cmp.Or(c.WriteTimeout, 30*time.Second)
	c.MaxConns = cmp.Or(c.MaxConns, defaultConns())
	c.HeaderMemory = cmp.Or(c.HeaderMemory, headerBudget)
	s := &Server{
		listener: newLimitedListener(listener, c),
		drain:    c.Drain,
		finish:   cmp.Or(c.FinishTimeout, 10*time.Second),
		log:      c.Log,
	}
	if s.drain == nil {
		s.drain = func() time.Duration { return 0 }
	}
	s.http = &http.Server{
		Handler:           s.begun(c.Handler),
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ConnState:         noteState,
		ErrorLog:          slog.NewLogLogger(c.Log.Handler(), slog.LevelWarn),
	}
	return s, nil
}

// defaultConns returns how many connections the process can have: as many as it may
// open files, except a quarter of them or 256, which are for other listeners and its
// own files; at most 10,000.
func defaultConns() int {
	const most = 10_000
	files := min(maxFiles(), 2*most)
	return int(min(files-min(files/4, 256), most))
}

// Addr returns the address of the listener, with the real port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// begun returns a handler that marks that the headers of a request are read. It makes a
// server that stops ask for a new connection with each answer: a client that honours this
// never sends a request on a connection that is closed. A request with a chunked body is the
// last of its connection: net/http hides a Content-Length beside it, by which a proxy may
// see another end of the request (RFC 9112, 6.1).
func (s *Server) begun(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*limitedConn); ok {
			c.header.ended.Store(true)
		}
		if s.stopping.Load() || len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Run answers requests until ctx ends. It then goes on for the time that Drain
// returns, and tells clients to use other connections. After that it accepts no new
// connections, lets requests end within FinishTimeout, cuts off the others, and
// returns nil. It returns an error if the listener fails.
func (s *Server) Run(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(s.listener) }()
	err := s.drained(ctx, failed)
	if err != nil {
		return fmt.Errorf("serve on %s: %w", s.Addr(), errors.Join(err, s.http.Close()))
	}
	finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.finish)
	defer cancel()
	err = s.http.Shutdown(finish)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-failed // http.ErrServerClosed
	if err != nil {
		return fmt.Errorf("stop serving on %s: %w", s.Addr(), err)
	}
	return nil
}

// drained waits until ctx and the drain after it have ended. It returns the error of
// a listener that fails before.
func (s *Server) drained(ctx context.Context, failed <-chan error) error {
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	drain := s.drain()
	if drain > 0 {
		s.log.Info("stopping; requests are answered until the drain is over", "drain", drain)
	}
	select {
	case err := <-failed:
		return err
	case <-time.After(drain):
		return nil
	}
}

// Close closes the listener of a server that never ran; without a server (nil) it does nothing.
func (s *Server) Close() error {
	if s == nil {
		return nil
	}
	return s.listener.Close()
}

const (
	// plainHeader is how many bytes the request line and headers of a request may
	// have before they draw from the budget of the listener.
	plainHeader = 32 << 10
	// headerBudget bounds the bytes beyond that of all requests in progress.
	headerBudget = 64 << 20
	// fieldCost is the memory of a header field beyond its bytes, and pairCost
	// that of a parameter.
	fieldCost, pairCost = 256, 64

	// lingerTime is how long a refused client may go on sending, so that it reads
	// the answer instead of a reset.
	lingerTime = 500 * time.Millisecond
)

// busyAnswer is the answer to a client whose headers exceed what is left of the
// budget. No handler sees the request.
const busyAnswer = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Type: text/plain; charset=utf-8\r\n" +
	"Connection: close\r\n\r\n503 Service Unavailable: too many long requests at once\n"

// budget is a number of bytes that may be in use at the same time.
type budget struct{ free atomic.Int64 }

// take takes n bytes, or none if there are too few.
func (b *budget) take(n int64) bool {
	if b.free.Add(-n) >= 0 {
		return true
	}
	b.free.Add(n)
	return false
}

// headerCount counts the request line and headers that a connection is reading.
// net/http reads one request after the other; Read may also be called while a
// handler runs.
type headerCount struct {
	ended atomic.Bool  // the handler runs, or its answer is being sent
	read  atomic.Int64 // weight of what was read
	drawn atomic.Int64 // of the budget
}

// count adds what was read. It reports whether there was room for it.
func (h *headerCount) count(p []byte, from *budget) bool {
	if h.ended.Load() {
		return true
	}
	weight := int64(len(p))
	if h.read.Load()+weight > plainHeader {
		weight += int64(fieldCost*bytes.Count(p, []byte("\n")) + pairCost*bytes.Count(p, []byte("&")))
	}
	over := h.read.Add(weight) - plainHeader
	if over <= 0 {
		return true
	}
	need := min(over, weight)
	if !from.take(need) {
		return false
	}
	h.drawn.Add(need)
	return true
}

// release gives back what was drawn.
func (h *headerCount) release(to *budget) { to.free.Add(h.drawn.Swap(0)) }

// next begins the next request of the connection.
func (h *headerCount) next(to *budget) {
	h.release(to)
	h.read.Store(0)
	h.ended.Store(false)
}

// Read reads from the client. While the headers of a request arrive, it draws
// from the budget; if that is used up, it answers 503 and ends the connection.
func (c *limitedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n == 0 || c.header.count(p[:n], &c.listener.headers) {
		return n, err
	}
	if _, err := io.WriteString(c, busyAnswer); err == nil && c.CloseWrite() == nil {
		_ = c.Conn.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.CopyN(io.Discard, c.Conn, maxHeaderBytes)
	}
	return 0, io.EOF // net/http adds no answer of its own
}

type connKey struct{}

package serve

import (
	"cmp"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// limitedListener has at most size open connections, so that clients cannot use up
// the file descriptors of the process. When three quarters of the places are taken,
// a network has at most perNetwork of them, and its idle connections are closed for
// its new ones. When all are taken, an idle connection of the largest network is
// closed. If none is idle, further clients wait.
type limitedListener struct {
	net.Listener
	writeTimeout     time.Duration
	size, perNetwork int
	proxies          Proxies // have no limit: many clients share one
	headers          budget  // for headers beyond plainHeader
	began            time.Time

	mu       sync.Mutex
	freed    sync.Cond // of mu: a connection is idle, or it or the listener was closed
	waits    atomic.Bool
	closed   bool
	open     int
	networks map[netip.Prefix]map[*limitedConn]struct{}
	// idle has the connections that may be closed, the next one last. A walk through 10,000
	// connections for each new one would take milliseconds: see BenchmarkAcceptWhenFull.
	idle       []idleConn
	becameIdle atomic.Bool // a connection became idle since idle was filled
}

// idleConn is a connection that was idle when it was looked at, and since when.
type idleConn struct {
	conn  *limitedConn
	rank  int // higher ones are closed first
	since int64
}

func newLimitedListener(l net.Listener, c Config) *limitedListener {
	limited := &limitedListener{
		Listener: l, writeTimeout: c.WriteTimeout, size: c.MaxConns, perNetwork: max(c.MaxConns/20, 1),
		proxies: c.Proxies, began: time.Now(), networks: make(map[netip.Prefix]map[*limitedConn]struct{}),
	}
	limited.freed.L = &limited.mu
	limited.headers.free.Store(c.HeaderMemory)
	return limited
}

func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			// If this fails, the system's own limit holds.
			_ = tcp.SetWriteBuffer(writeBuffer)
		}
		c := &limitedConn{Conn: conn, listener: l, opened: time.Now(), network: network(parseHop(conn.RemoteAddr().String()))}
		c.idle.Store(c.now()) // until it sends something
		admitted, err := l.admit(c)
		if admitted {
			return c, nil
		}
		_ = conn.Close()
		if err != nil {
			return nil, err
		}
	}
}

// admit gives a connection a place, which it may have to wait for. It reports false
// if the connection's network has too many.
func (l *limitedListener) admit(c *limitedConn) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= l.size-l.size/4 && !l.proxies.trust(c.network.Addr()) {
		l.closeIdle(c.network, l.perNetwork-1)
		if len(l.networks[c.network]) >= l.perNetwork {
			return false, nil
		}
	}
	l.waits.Store(true)
	defer l.waits.Store(false)
	for l.open >= l.size && !l.closed {
		switch {
		case l.closeNextIdle():
		case l.becameIdle.Swap(false):
			l.findIdle()
		default:
			l.freed.Wait()
		}
	}
	if l.closed {
		return false, net.ErrClosed
	}
	if l.networks[c.network] == nil {
		l.networks[c.network] = make(map[*limitedConn]struct{})
	}
	l.networks[c.network][c] = struct{}{}
	l.open++
	l.becameIdle.Store(true)
	return true, nil
}

// closeNextIdle closes the next candidate that is still idle. It reports false if
// there is none. The caller holds mu.
func (l *limitedListener) closeNextIdle() bool {
	for len(l.idle) > 0 {
		last := len(l.idle) - 1
		v := l.idle[last]
		l.idle[last] = idleConn{}
		l.idle = l.idle[:last]
		if _, open := l.networks[v.conn.network][v.conn]; open && v.conn.idle.Load() == v.since {
			_ = v.conn.Conn.Close()
			l.forget(v.conn)
			return true
		}
	}
	return false
}

// findIdle makes all idle connections candidates, in the order in which they would be closed
// if each was of the network with most connections now, and idle for
// longest there. Proxies count as many networks. The caller holds mu.
func (l *limitedListener) findIdle() {
	l.idle = l.idle[:0]
	for network, conns := range l.networks {
		first := len(l.idle)
		l.idle = appendIdle(l.idle, conns)
		own := l.idle[first:]
		trusted := l.proxies.trust(network.Addr())
		for i := range own {
			if own[i].rank = len(conns) - i; trusted {
				own[i].rank = min(own[i].rank, l.perNetwork)
			}
		}
	}
	slices.SortFunc(l.idle, func(a, b idleConn) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.since, a.since))
	})
}

// appendIdle appends the connections that are idle, for longest first.
func appendIdle(list []idleConn, conns map[*limitedConn]struct{}) []idleConn {
	first := len(list)
	for c := range conns {
		if since := c.idle.Load(); since != 0 {
			list = append(list, idleConn{conn: c, since: since})
		}
	}
	slices.SortFunc(list[first:], func(a, b idleConn) int { return cmp.Compare(a.since, b.since) })
	return list
}

// closeIdle closes idle connections of a network, those that are idle for longest
// first, until it has n connections. The caller holds mu.
func (l *limitedListener) closeIdle(network netip.Prefix, n int) {
	conns := l.networks[network]
	if len(conns) <= n {
		return
	}
	idle := appendIdle(nil, conns)
	for _, v := range idle[:min(len(idle), len(conns)-n)] {
		_ = v.conn.Conn.Close()
		l.forget(v.conn)
	}
}

// forget frees the place of a connection. The caller holds mu.
func (l *limitedListener) forget(c *limitedConn) {
	conns := l.networks[c.network]
	if _, open := conns[c]; !open {
		return
	}
	if delete(conns, c); len(conns) == 0 {
		delete(l.networks, c.network)
	}
	l.open--
	l.freed.Broadcast()
}

func (l *limitedListener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.freed.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}

// network returns the network of a peer: an IPv4 address, or the /64 of an IPv6 address. It
// is not valid if the peer has no address.
func network(addr netip.Addr) netip.Prefix {
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	network, _ := addr.Prefix(bits)
	return network
}

// noteState remembers which connections are idle: between two requests, or before
// the first. The headers of the next request count from zero. net/http calls it.
func noteState(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(*limitedConn); ok {
		var since int64
		if state == http.StateIdle || state == http.StateNew {
			since = c.now()
		}
		c.idle.Store(since)
		if state == http.StateIdle {
			c.header.next(&c.listener.headers)
		}
		if since != 0 {
			c.listener.noteIdle(c, since)
		}
	}
}

// noteIdle wakes a client that waits for a connection to become idle.
func (l *limitedListener) noteIdle(c *limitedConn, since int64) {
	if !l.becameIdle.Load() {
		l.becameIdle.Store(true)
	}
	if l.waits.Load() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.idle = append(l.idle, idleConn{conn: c, since: since})
		l.freed.Broadcast()
	}
}

// limitedConn sets a write deadline for every 64 KiB. The WriteTimeout of
// http.Server would cut off a long answer on a slow line, and would be set for
// every request, while here most small answers share a deadline.
type limitedConn struct {
	net.Conn
	listener *limitedListener
	network  netip.Prefix
	header   headerCount
	opened   time.Time
	idle     atomic.Int64 // since when, in nanoseconds of the listener's time; 0: in use
	// deadlineSet is when the current deadline was set, as time since opened;
	// 0: never, or it is too early for the next Write.
	deadlineSet atomic.Int64
	// answerEnd is when the answer must be written, as time since opened.
	answerEnd atomic.Int64
}

// now returns the listener's time, which is never 0.
func (c *limitedConn) now() int64 { return max(1, int64(time.Since(c.listener.began))) }

const (
	chunkSize = 64 << 10
	// writeBuffer is how much of an answer the kernel holds for a client that does
	// not read. Linux takes twice as much, and by default up to 4 MiB.
	writeBuffer = 128 << 10
)

// Write writes p in chunks. It fails if the client does not accept one in time.
func (c *limitedConn) Write(p []byte) (int, error) {
	timeout := c.listener.writeTimeout
	written := 0
	for {
		// A deadline that is at most a second old is precise enough, and small
		// answers save a call.
		now, set := time.Since(c.opened), time.Duration(c.deadlineSet.Load())
		if set == 0 || now-set >= min(time.Second, timeout/10) {
			if err := c.setDeadline(now); err != nil {
				return written, err
			}
		}
		n, err := c.Conn.Write(p[written:min(len(p), written+chunkSize)])
		written += n
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

// setDeadline sets the deadline of the next chunk. Another goroutine may set the end of the
// answer at the same time.
func (c *limitedConn) setDeadline(now time.Duration) error {
	for {
		end, deadline, set := time.Duration(c.answerEnd.Load()), now+c.listener.writeTimeout, now
		if end != 0 && end < deadline {
			deadline, set = end, 0
		}
		c.deadlineSet.Store(int64(set))
		if err := c.Conn.SetWriteDeadline(c.opened.Add(deadline)); err != nil || time.Duration(c.answerEnd.Load()) == end {
			return err
		}
	}
}

// SetWriteDeadline sets the time at which the answer must be written; each Write
// sets its own deadline before that. net/http calls it for every request, and
// removes the deadline afterwards.
func (c *limitedConn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		c.answerEnd.Store(0)
		return nil
	}
	c.answerEnd.Store(int64(t.Sub(c.opened)))
	if t.Before(time.Now()) { // ends a Write that waits
		return c.Conn.SetWriteDeadline(t)
	}
	return nil
}

func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.header.release(&c.listener.headers)
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.listener.forget(c)
	return err
}

// CloseWrite closes the writing side only. net/http does that after an error
// like 431: a reset could reach the client before it has read the answer.
func (c *limitedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

package serve

import (
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
// its new ones. When all are taken, idle connections are closed, those of the
// largest networks first. If none is idle, further clients wait.
type limitedListener struct {
	net.Listener
	writeTimeout     time.Duration
	size, perNetwork int
	proxies          Proxies // are not limited: they stand for many clients
	headers          budget  // of what is over plainHeader

	mu       sync.Mutex
	freed    sync.Cond // of mu: a connection is idle, or it or the listener was closed
	waits    atomic.Bool
	closed   bool
	open     int
	networks map[netip.Prefix]map[*limitedConn]struct{}
}

func newLimitedListener(l net.Listener, c Config) *limitedListener {
	limited := &limitedListener{
		Listener: l, writeTimeout: c.WriteTimeout, size: c.MaxConns, perNetwork: max(c.MaxConns/20, 1),
		proxies: c.Proxies, networks: make(map[netip.Prefix]map[*limitedConn]struct{}),
	}
	limited.freed.L = &limited.mu
	limited.headers.giveBack(c.HeaderMemory)
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
		c := &limitedConn{Conn: conn, listener: l, opened: time.Now(), network: networkOf(conn)}
		c.idle.Store(true) // until it sends something
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
		if !l.makeRoom() {
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
	return true, nil
}

// makeRoom closes idle connections: those of networks that have more than they may,
// or else those of the network with most of them, half of what it has. It reports
// whether there is a place now. The caller holds mu.
func (l *limitedListener) makeRoom() bool {
	var largest netip.Prefix
	for network, conns := range l.networks {
		if len(conns) > l.perNetwork && !l.proxies.trust(network.Addr()) {
			l.closeIdle(network, l.perNetwork)
		}
	}
	most := 0
	for network, conns := range l.networks {
		if n := countIdle(conns); n > most {
			largest, most = network, n
		}
	}
	if l.open >= l.size && most > 0 {
		l.closeIdle(largest, len(l.networks[largest])-(most+1)/2)
	}
	return l.open < l.size
}

func countIdle(conns map[*limitedConn]struct{}) (n int) {
	for c := range conns {
		if c.idle.Load() {
			n++
		}
	}
	return n
}

// closeIdle closes idle connections of a network, those that were opened first
// first, until it has n connections. The caller holds mu.
func (l *limitedListener) closeIdle(network netip.Prefix, n int) {
	conns := l.networks[network]
	if len(conns) <= n {
		return
	}
	var idle []*limitedConn
	for c := range conns {
		if c.idle.Load() {
			idle = append(idle, c)
		}
	}
	slices.SortFunc(idle, func(a, b *limitedConn) int { return a.opened.Compare(b.opened) })
	for _, c := range idle[:min(len(idle), len(conns)-n)] {
		_ = c.Conn.Close()
		l.forget(c)
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

// networkOf returns the network of a connection's peer: an IPv4 address, or the /64
// of an IPv6 address. It is not valid if the peer has no address.
func networkOf(conn net.Conn) netip.Prefix {
	addr := parseHop(conn.RemoteAddr().String())
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
		c.idle.Store(state == http.StateIdle || state == http.StateNew)
		if state == http.StateIdle {
			c.header.next(&c.listener.headers)
		}
		if c.listener.waits.Load() {
			c.listener.mu.Lock()
			defer c.listener.mu.Unlock()
			c.listener.freed.Broadcast()
		}
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
	idle     atomic.Bool
	// deadlineSet is when the current deadline was set, as time since opened;
	// 0: never, or it is too early for the next Write.
	deadlineSet atomic.Int64
	// answerEnd is when the answer must be written, as time since opened.
	answerEnd atomic.Int64
}

const (
	pieceSize = 64 << 10
	// writeBuffer is how much of an answer the kernel holds for a client that does
	// not read. Linux takes twice as much, and by default up to 4 MiB.
	writeBuffer = 128 << 10
)

// Write writes p piece by piece. It fails if the client does not accept a piece
// in time.
func (c *limitedConn) Write(p []byte) (int, error) {
	timeout := c.listener.writeTimeout
	written := 0
	for {
		// A deadline that is at most a second old is precise enough, and small
		// answers save a call.
		now, set := time.Since(c.opened), time.Duration(c.deadlineSet.Load())
		if set == 0 || now-set >= min(time.Second, timeout/10) {
			deadline := now + timeout
			if end := time.Duration(c.answerEnd.Load()); end != 0 && end < deadline {
				deadline, now = end, 0
			}
			c.deadlineSet.Store(int64(now))
			if err := c.Conn.SetWriteDeadline(c.opened.Add(deadline)); err != nil {
				return written, err
			}
		}
		n, err := c.Conn.Write(p[written:min(len(p), written+pieceSize)])
		written += n
		if err != nil || written == len(p) {
			return written, err
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

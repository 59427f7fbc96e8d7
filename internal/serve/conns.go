package serve

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// limitedListener has at most cap(places) open connections, so that clients
// cannot use up the file descriptors of the process. Further clients wait in the
// kernel's queue.
type limitedListener struct {
	net.Listener
	writeTimeout time.Duration
	places       chan struct{}
	closed       chan struct{}
	once         sync.Once
}

func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		// If this fails, the system's own limit holds.
		_ = tcp.SetWriteBuffer(writeBuffer)
	}
	return &limitedConn{Conn: conn, listener: l, opened: time.Now()}, nil
}

func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// limitedConn sets a write deadline for every 64 KiB. The WriteTimeout of
// http.Server would cut off a long answer on a slow line, and would be set for
// every request, while here most small answers share a deadline.
type limitedConn struct {
	net.Conn
	listener *limitedListener
	once     sync.Once
	opened   time.Time
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
	c.once.Do(func() { <-c.listener.places })
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

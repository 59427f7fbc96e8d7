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
	// 0: never.
	deadlineSet atomic.Int64
}

const pieceSize = 64 << 10

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
			c.deadlineSet.Store(int64(now))
			if err := c.Conn.SetWriteDeadline(c.opened.Add(now + timeout)); err != nil {
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

// SetWriteDeadline ignores the zero time: net/http removes the deadline after
// each request, while the next answer may begin under the current one. Any
// other deadline holds until the next Write that sets a new one.
func (c *limitedConn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		return nil
	}
	return c.Conn.SetWriteDeadline(t)
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

package serve

import (
	"net"
	"sync/atomic"
	"time"
)

const pieceSize = 64 << 10

// pacedConn sets a write deadline for every 64 KiB. The WriteTimeout of
// http.Server would cut off a long answer on a slow line, and would be set for
// every request, while here most small answers share a deadline.
type pacedConn struct {
	net.Conn
	timeout time.Duration
	opened  time.Time
	// set is when the current deadline was set, as time since opened; 0: never.
	set atomic.Int64
}

// Write writes p piece by piece. It fails if the client does not accept a piece
// in time.
func (c *pacedConn) Write(p []byte) (int, error) {
	written := 0
	for {
		if err := c.extendDeadline(); err != nil {
			return written, err
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
func (c *pacedConn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		return nil
	}
	return c.Conn.SetWriteDeadline(t)
}

// extendDeadline sets a new deadline if the current one is about a second old:
// that is precise enough, and small answers save a call.
func (c *pacedConn) extendDeadline() error {
	now, set := time.Since(c.opened), time.Duration(c.set.Load())
	if set != 0 && now-set < min(time.Second, c.timeout/10) {
		return nil
	}
	c.set.Store(int64(now))
	return c.Conn.SetWriteDeadline(c.opened.Add(now + c.timeout))
}

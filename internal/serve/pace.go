package serve

import (
	"net"
	"sync/atomic"
	"time"
)

const pieceSize = 64 << 10

// pacedConn gives every piece that is written its own deadline. http.Server's
// WriteTimeout cuts off a long answer over a slow line; and it would be set
// anew for every request, while here most small answers share one.
type pacedConn struct {
	net.Conn
	timeout time.Duration
	opened  time.Time
	// set is when the deadline in force was set, since opened; 0: never.
	set   atomic.Int64
	lines lines
}

// Write takes p piece by piece. It fails when the other side does not take a
// piece in time.
func (c *pacedConn) Write(p []byte) (int, error) {
	written := 0
	for {
		if err := c.extend(); err != nil {
			return written, err
		}
		n, err := c.lines.write(c.Conn, p[written:min(len(p), written+pieceSize)])
		written += n
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

// SetWriteDeadline takes no deadline away: net/http would, after each request,
// and the next one begins its answer under the one that is in force. Another
// one holds until the next Write that sets its own.
func (c *pacedConn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		return nil
	}
	return c.Conn.SetWriteDeadline(t)
}

// extend moves the deadline on, once most of a second has passed: that is
// exact enough and costs small answers nothing.
func (c *pacedConn) extend() error {
	now, set := time.Since(c.opened), time.Duration(c.set.Load())
	if set != 0 && now-set < min(time.Second, c.timeout/10) {
		return nil
	}
	c.set.Store(int64(now))
	return c.Conn.SetWriteDeadline(c.opened.Add(now + c.timeout))
}

package shared

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/valkey-io/valkey-go"
)

// callTimes are how long a call waits for the server, and how long it waits on another
// connection afterwards.
var callTimes = [2]time.Duration{50 * time.Millisecond, 50 * time.Millisecond}

// connection is one to the server, or to each of a cluster.
type connection struct {
	client valkey.Client // nil until the server has answered once
	wait   time.Duration
	last   atomic.Pointer[deadline]
}

// call runs a script on the server, and again if it gets no answer: a script does nothing
// more when it arrives again.
func (s *Shared) call(script *valkey.Lua, names, args []string) (r valkey.ValkeyResult) {
	for i := range s.connections {
		c := &s.connections[i]
		if r = script.Exec(c.deadline(s.tick()), c.client, names, args); r.Error() == nil {
			s.answered.Store(int64(s.tick()))
			break
		}
	}
	return r
}

// deadline is a context that calls of the same few milliseconds share. It ends after ten
// pauses of the process. While the process does not run, as on a busy machine, none of them
// ends, and only the one that has begun is over afterwards: then there is still time to
// read an answer that has arrived meanwhile.
type deadline struct {
	context.Context
	made  time.Duration
	ended chan struct{}
}

const pauses = 10

// Done implements [context.Context].
func (d *deadline) Done() <-chan struct{} { return d.ended }

// Err implements [context.Context].
func (d *deadline) Err() error {
	select {
	case <-d.ended:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// rest ends d after some pauses.
func (d *deadline) rest(left int, pause time.Duration) {
	if left == 0 {
		close(d.ended)
		return
	}
	time.AfterFunc(pause, func() { d.rest(left-1, pause) })
}

// deadline returns a context that ends after the time that a call may take, or a pause
// earlier. A timer for each call would cost as much as the rest of it.
func (c *connection) deadline(now time.Duration) context.Context {
	pause, d := c.wait/pauses, c.last.Load()
	if d == nil || now < d.made || now-d.made > pause || d.Err() != nil {
		d = &deadline{context.Background(), now, make(chan struct{})}
		d.rest(pauses, pause)
		c.last.Store(d)
	}
	return d
}

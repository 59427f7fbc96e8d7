package serve

import (
	"io"
	"log/slog"
	"sync"
	"time"
)

// logQueueLimit is how many bytes may wait for the writer. As many may be in the write that
// is in progress.
const logQueueLimit = 1 << 20

// recentlyDropped is how long after the last dropped line [LogQueue.Dropped] reports that
// lines are being dropped.
const recentlyDropped = time.Minute

// LogQueue is an [io.Writer] that never waits. A log to a pipe that nobody reads
// blocks its writers; with a queue in front of it, only its goroutine waits. If the buffer
// is full, lines are dropped and counted. Create it with [NewLogQueue]. It is safe for
// concurrent use.
type LogQueue struct {
	out   io.Writer
	lost  func(out io.Writer, lines int64)
	ended chan struct{} // everything is written, and the queue is closed

	mu         sync.Mutex
	changed    sync.Cond // of waiting and closed
	waiting    []byte
	closed     bool
	dropped    int64 // lines, since the start
	unreported int64 // dropped lines that were not passed to lost yet
	lastDrop   time.Time
}

// NewLogQueue returns a queue that writes to out. When out accepts lines again, the queue
// calls lost, which writes to out how many lines were dropped since the last call.
func NewLogQueue(out io.Writer, lost func(out io.Writer, lines int64)) *LogQueue {
	q := &LogQueue{out: out, lost: lost, ended: make(chan struct{})}
	q.changed.L = &q.mu
	go q.run()
	return q
}

// Write queues a line, or drops it if there is no room. It never fails.
func (q *LogQueue) Write(line []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || len(q.waiting)+len(line) > logQueueLimit {
		q.dropped++
		q.unreported++
		q.lastDrop = time.Now()
		return len(line), nil
	}
	q.waiting = append(q.waiting, line...)
	q.changed.Signal()
	return len(line), nil
}

// Dropped returns how many lines were dropped since the start, and whether that
// still goes on: the last one was dropped less than a minute ago, or the writer
// has been blocked since.
func (q *LogQueue) Dropped() (lines int64, now bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped, q.unreported > 0 || q.dropped > 0 && time.Since(q.lastDrop) < recentlyDropped
}

// Close waits until everything is written, but at most for a time. Later lines
// are dropped. It reports whether everything was written.
func (q *LogQueue) Close(atMost time.Duration) bool {
	q.mu.Lock()
	q.closed = true
	q.changed.Signal()
	q.mu.Unlock()
	select {
	case <-q.ended:
		return true
	case <-time.After(atMost):
		return false
	}
}

// run writes what waits until the queue is closed and empty.
func (q *LogQueue) run() {
	defer close(q.ended)
	var chunk []byte
	for {
		var lost int64
		var more bool
		if chunk, lost, more = q.take(chunk); !more {
			return
		}
		_, _ = q.out.Write(chunk) // nothing can report that the log fails
		if lost > 0 {
			q.lost(q.out, lost)
		}
	}
}

// take waits for lines and returns them, with the number of lines dropped after
// them. The memory of written holds the lines that follow.
func (q *LogQueue) take(written []byte) (chunk []byte, lost int64, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 && !q.closed {
		q.changed.Wait()
	}
	if len(q.waiting) == 0 {
		return nil, 0, false
	}
	chunk, q.waiting = q.waiting, written[:0]
	lost, q.unreported = q.unreported, 0
	return chunk, lost, true
}

// refusedPerSecond is how many refused requests without a key are logged in a
// second. Anybody can send them, at any rate.
const refusedPerSecond = 10

// sampler decides which refused requests are logged.
type sampler struct {
	mu      sync.Mutex
	second  int64
	logged  int
	skipped int64
}

// take reports whether a request at a time in Unix seconds is logged. The first
// request of a second also returns how many were not logged before.
func (s *sampler) take(second int64) (logged bool, skipped int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if second != s.second {
		s.second, s.logged = second, 0
		skipped, s.skipped = s.skipped, 0
	}
	if s.logged == refusedPerSecond {
		s.skipped++
		return false, skipped
	}
	s.logged++
	return true, skipped
}

// logs reports whether a request is logged. Requests with a key always are, and
// requests that were not refused.
func (f *Front) logs(x *exchange) bool {
	if x.KeyID != "" || x.status < 400 || x.status >= 500 {
		return true
	}
	logged, skipped := f.refused.take(x.started.Unix())
	if skipped > 0 {
		f.Log.Info("refused requests without a key were not logged", slog.Int64("requests", skipped))
	}
	return logged
}

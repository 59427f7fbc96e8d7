package serve

import (
	"log/slog"
	"sync"
)

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

package shared_test

import (
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/quota/shared"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

// TestClockSkew moves the clock of a node and checks by how much it says that the clock
// differs from the server's, and that it logs once when that is too much and once when
// it is over.
func TestClockSkew(t *testing.T) {
	server := enginetest.NewRedis(t)
	proxy := enginetest.NewProxy(t, server.Addr())
	var moved atomic.Int64
	lines := make(chan string, 100)
	cfg := config(t, "redis://"+proxy.Addr)
	cfg.Now = func() time.Time { return time.Now().Add(time.Duration(moved.Load())) }
	cfg.Log = slog.New(handler(func(r slog.Record) { lines <- r.Message }))
	s := run(t, cfg, (*shared.Shared).CompareClocksOften)
	// measure waits until s knows an amount between least, towards 0, and most.
	measure := func(by, least, most time.Duration) {
		t.Helper()
		moved.Store(int64(by))
		await.That(t, "the skew", func() bool {
			ahead := s.Ahead()
			return (ahead > 0) == (by > 0) && ahead.Abs() >= least && ahead.Abs() <= most
		})
	}
	const sec = time.Second
	measure(1900*time.Millisecond, 1*sec, 1900*time.Millisecond)
	measure(-3*sec, 2500*time.Millisecond, 3*sec)
	measure(-4*sec, 3500*time.Millisecond, 4*sec)
	measure(-1500*time.Millisecond, 1100*time.Millisecond, 1500*time.Millisecond)
	measure(0, 0, 0)
	proxy.Break(t, enginetest.Slow)
	// Behind by as much as an answer takes longer: the server may have read its clock late.
	measure(-2200*time.Millisecond, 1*sec, 1800*time.Millisecond)
	if s.Alone() {
		t.Error("the comparison made the node count alone")
	}
	close(lines)
	// An answer that takes seconds on a busy machine ends what it says and begins it again.
	n, says := 0, []string{
		"the clock of this machine differs from the counter server's; synchronize it (NTP)",
		"the clock of this machine agrees with the counter server's again",
	}
	for line := range lines {
		if line != says[n%2] {
			t.Errorf("line %d is %q, want %q", n, line, says[n%2])
		}
		n++
	}
	if n == 0 || n%2 != 0 {
		t.Errorf("logged %d lines, want one when it differs and one when it agrees", n)
	}
}

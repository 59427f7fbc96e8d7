package lease_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/lease"
)

func TestClaimable(t *testing.T) {
	const now = 1000
	tests := []struct {
		name  string
		lease lease.Lease
		want  bool
	}{
		{"never claimed", lease.Lease{}, true},
		{"held", lease.Lease{Holder: "a", Until: now + 1}, false},
		{"held until now", lease.Lease{Holder: "a", Until: now}, true},
		{"released, due later", lease.Lease{DueAt: now + 1}, false},
		{"released, due now", lease.Lease{DueAt: now}, true},
		{"overdue but held", lease.Lease{Holder: "a", Until: now + 1, DueAt: 5}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.lease.Claimable(now); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestClaimedAndFinished(t *testing.T) {
	l := lease.Lease{Name: "n", Token: 4, DueAt: 10, Cursor: "c", Attempts: 2, LastError: "old"}
	claimed := l.Claimed("me", 99)
	want := lease.Lease{Name: "n", Holder: "me", Until: 99, Token: 5, DueAt: 10, Cursor: "c", Attempts: 2, LastError: "old"}
	if diff := cmp.Diff(want, claimed); diff != "" {
		t.Errorf("claimed (-want +got):\n%s", diff)
	}
	want.Attempts, want.LastError = 3, "new"
	if diff := cmp.Diff(want, claimed.Finished(errors.New("new"))); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
	want.Attempts, want.LastError = 0, ""
	if diff := cmp.Diff(want, claimed.Finished(nil)); diff != "" {
		t.Errorf("succeeded (-want +got):\n%s", diff)
	}
}

func TestBackoff(t *testing.T) {
	const base, ceiling = time.Second, 5 * time.Minute
	tests := []struct {
		attempts int
		jitter   float64
		want     time.Duration
	}{
		{0, 1, 0},
		{-1, 1, 0},
		{1, 1, time.Second},
		{1, 0, 500 * time.Millisecond},
		{2, 1, 2 * time.Second},
		{3, 0.5, 3 * time.Second},
		{9, 1, 256 * time.Second},
		{10, 1, ceiling},
		{10, 0, ceiling / 2},
		{1 << 40, 1, ceiling},
		{1, 7, time.Second},
		{1, -7, 500 * time.Millisecond},
	}
	for _, tt := range tests {
		if got := lease.Backoff(tt.attempts, base, ceiling, tt.jitter); got != tt.want {
			t.Errorf("Backoff(%d, jitter %v) = %v, want %v", tt.attempts, tt.jitter, got, tt.want)
		}
	}
}

func TestBackoffStaysWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "base"))
		ceiling := base * time.Duration(rapid.Int64Range(1, 1000).Draw(t, "times"))
		attempts := rapid.IntRange(1, 1000).Draw(t, "attempts")
		jitter := rapid.Float64Range(0, 1).Draw(t, "jitter")
		wait := lease.Backoff(attempts, base, ceiling, jitter)
		if wait < base/2 || wait > ceiling || lease.Backoff(attempts+1, base, ceiling, jitter) < wait {
			t.Fatalf("%v after %d attempts", wait, attempts)
		}
	})
}

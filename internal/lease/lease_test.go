package lease_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

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

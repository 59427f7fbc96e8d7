package lease_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/lease"
)

func TestFinished(t *testing.T) {
	l := lease.Lease{Name: "n", Holder: "me", Until: 99, Token: 5, DueAt: 10, Cursor: "c", Attempts: 2, LastError: "old"}
	want := l
	want.Attempts, want.LastError = 3, "new"
	if diff := cmp.Diff(want, l.Finished(errors.New("new"))); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
	want.Attempts, want.LastError = 0, ""
	if diff := cmp.Diff(want, l.Finished(nil)); diff != "" {
		t.Errorf("succeeded (-want +got):\n%s", diff)
	}
}

package sweep_test

import (
	"testing"

	"gamedex/internal/sweep"
)

func TestPendingText(t *testing.T) {
	for pending, want := range map[int]string{
		0: "0", 812: "812", sweep.ManyItems - 1: "9999", sweep.ManyItems: "10000 or more", sweep.ManyItems + 1: "10000 or more",
	} {
		if got := (sweep.State{Pending: pending}).PendingText(); got != want {
			t.Errorf("%d: %q, want %q", pending, got, want)
		}
	}
}

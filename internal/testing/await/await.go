// Package await lets tests wait for a state instead of a time, so that a busy machine makes
// them slow, but does not fail them.
package await

import (
	"testing"
	"time"
)

// Patience is how long a test waits without progress. It is for tests that have failed, not
// for slow machines.
const Patience = 5 * time.Minute

// That polls done until it reports true, and fails the test if that does not happen.
func That(t testing.TB, what string, done func() bool) {
	t.Helper()
	if !Progress(done, Nothing) {
		t.Fatalf("waited %v for %s", Patience, what)
	}
}

// Progress polls done until it reports true, and reports whether it did. It stops when
// progress has returned the same value for the length of Patience. The value must stop
// changing if the test has failed. The number of answers of a running server, for example,
// does not.
func Progress(done func() bool, progress func() any) bool {
	last, started := progress(), time.Now()
	moved := started
	for {
		began := time.Now()
		if done() {
			return true
		}
		if now := progress(); now != last {
			last, moved = now, time.Now()
		} else if time.Since(moved) > Patience {
			return false
		}
		// Polling takes a tenth of the time at most, or it delays what it waits for. The longer
		// the wait, the fewer the polls.
		pause := max(10*time.Since(began), time.Since(started)/20, 2*time.Millisecond)
		time.Sleep(min(pause, time.Second/2))
	}
}

// Nothing is the progress of a wait for a single step.
func Nothing() any { return nil }

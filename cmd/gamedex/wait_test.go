package main

import "time"

// patience is how long a test waits without progress. Tests watch progress
// instead of the clock: a busy machine makes them slow, but does not fail them.
const patience = 3 * time.Minute

// await polls done until it reports true, and reports whether it did. It stops
// when progress has returned the same value for the length of patience. The
// value must stop changing if the test has failed. The number of answers of a
// running server, for example, does not.
func await(done func() bool, progress func() any) bool {
	last, moved := progress(), time.Now()
	for {
		began := time.Now()
		if done() {
			return true
		}
		if now := progress(); now != last {
			last, moved = now, time.Now()
		} else if time.Since(moved) > patience {
			return false
		}
		// Polling takes a tenth of the time at most, or it delays what it waits
		// for.
		time.Sleep(min(max(10*time.Since(began), 2*time.Millisecond), time.Second/2))
	}
}

// nothing is the progress of a wait for a single step.
func nothing() any { return nil }

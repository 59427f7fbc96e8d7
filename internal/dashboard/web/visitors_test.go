package web

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestVisitorsAreLimited counts what is answered in each minute, for any order of networks and times.
func TestVisitorsAreLimited(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := PublicLimits{Each: rapid.IntRange(1, 4).Draw(t, "each"), All: rapid.IntRange(1, 9).Draw(t, "all")}
		var c visitors
		now := int64(1_000_000)
		all, each := map[int64]int{}, map[string]int{}
		for range rapid.IntRange(1, 80).Draw(t, "requests") {
			now += rapid.Int64Range(0, 20_000).Draw(t, "pause")
			network, minute := fmt.Sprint(rapid.IntRange(0, 4).Draw(t, "network")), now/60_000
			key := fmt.Sprint(network, " ", minute)
			free := all[minute] < limits.All && each[key] < limits.Each
			wait := c.take(network, now, limits)
			switch {
			case (wait == 0) != free:
				t.Fatalf("%s at %d: wait %v, free %v", network, now, wait, free)
			case free:
				all[minute]++
				each[key]++
			case wait > time.Minute || (now+wait.Milliseconds())/60_000 != minute+1:
				t.Fatalf("wait %v at %d", wait, now)
			}
			if len(c.each) > limits.All {
				t.Fatalf("%d networks are kept", len(c.each))
			}
		}
	})
}

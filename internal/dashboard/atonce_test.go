package dashboard_test

import (
	"strings"
	"sync"
	"testing"
)

// atOnce calls f for 0 to n-1 at the same time and returns the results. It is how tests here send
// requests at once; they are called TestAtOnce…, because `make check` runs those with the race detector.
func atOnce[T any](t testing.TB, n int, f func(i int) T) []T {
	t.Helper()
	if !strings.HasPrefix(t.Name(), "TestAtOnce") {
		t.Fatal("call the test TestAtOnce…: make check finds it by that name for the race detector")
	}
	results := make([]T, n)
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			results[i] = f(i)
		})
	}
	close(start)
	all.Wait()
	return results
}

func countStatuses(answers []answered) map[int]int {
	counted := map[int]int{}
	for _, p := range answers {
		counted[p.status]++
	}
	return counted
}

package quota_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"gamedex/internal/quota"
	"gamedex/internal/testing/quotatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func take(t rapid.TB, c quota.Counter, keyID string, l quota.Limits, now int64) quota.Decision {
	d, err := c.Take(context.Background(), keyID, l, quota.Owner{}, now)
	must(t, err)
	return d
}

// TestMemory runs the tests of all counters.
func TestMemory(t *testing.T) {
	quotatest.Run(t, func(*testing.T) (quota.Counter, func(int64)) {
		return quota.NewMemory(), func(int64) {} // the time is that of each request
	})
}

func TestMaximumCountsFitTheWord(t *testing.T) {
	now := at("2026-03-01 12:00:00.000")
	limits := quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay}
	m := quota.NewMemory()
	m.Load([]quota.State{{ID: "k", Spent: quota.Spent{Minute: now / 60_000, MinuteUsed: quota.MaxMinute - 1, DayUsed: quota.MaxDay - 1}}})
	d := take(t, m, "k", limits, now)
	if !d.Allowed || d.Minute.Used != quota.MaxMinute || d.Day.Used != quota.MaxDay {
		t.Errorf("the last request: %+v", d)
	}
	if d := take(t, m, "k", limits, now); d.Allowed || d.Exhausted != quota.ExhaustedDay || d.Minute.Used != quota.MaxMinute {
		t.Errorf("one more: %+v", d)
	}
	if d := take(t, m, "k", limits, at("2026-03-02 00:00:00.000")); !d.Allowed || d.Day.Used != 1 {
		t.Errorf("the next day: %+v", d)
	}
}

// TestUnusedKeyWhenTheMinuteWraps checks that an unused word is not taken for a
// state of the current minute when the minute, which is kept modulo 2^24, wraps
// around.
func TestUnusedKeyWhenTheMinuteWraps(t *testing.T) {
	for _, turn := range []int64{1 << 24, 2 << 24, 3 << 24} { // 2001, 2033, 2065
		now := turn*60_000 - 3_600_000
		want := quota.Spent{}.Look(quota.Limits{Minute: 1, Day: 1}, now)
		if got, err := quota.NewMemory().Look(t.Context(), "k", quota.Limits{Minute: 1, Day: 1}, quota.Owner{}, now); err != nil || got != want {
			t.Errorf("an hour before %d: %+v, %v, want %+v", turn, got, err, want)
		}
	}
}

func TestChangedReturnsEachChangeOnce(t *testing.T) {
	m, now := quota.NewMemory(), at("2026-03-01 12:00:00.000")
	limits := quota.Limits{Minute: 2, Day: 9}
	take(t, m, "a", limits, now)
	take(t, m, "a", limits, now)
	take(t, m, "b", limits, now)
	if d, err := m.Look(t.Context(), "c", limits, quota.Owner{}, now); err != nil || !d.Allowed || d.Minute.Used != 0 {
		t.Errorf("a look at a new key: %+v, %v", d, err)
	}
	got := map[string]int{}
	for _, st := range m.Changed(now) {
		got[st.ID] = st.MinuteUsed
	}
	if fmt.Sprint(got) != "map[a:2 b:1]" {
		t.Errorf("first: %v", got)
	}
	take(t, m, "a", limits, now) // refused: no change
	if states := m.Changed(now); len(states) > 0 {
		t.Errorf("nothing changed, but: %+v", states)
	}
	take(t, m, "b", limits, now)
	if states := m.Changed(now); len(states) != 1 || states[0].ID != "b" || states[0].MinuteUsed != 2 {
		t.Errorf("after one more of b: %+v", states)
	}
}

// TestNoChangeIsMissed has several callers that use new keys at the same time, while changes are collected: what was
// collected last must be what was spent.
func TestNoChangeIsMissed(t *testing.T) {
	const keys, callers = 5000, 8
	m, now := quota.NewMemory(), at("2026-03-01 12:00:00.000")
	limits := quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay}
	last := map[string]int{}
	collect := func() {
		for _, st := range m.Changed(now) {
			last[st.ID] = max(last[st.ID], st.DayUsed)
		}
	}
	done := make(chan struct{})
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for i := range keys {
				take(t, m, fmt.Sprint("key", i), limits, now)
				take(t, m, fmt.Sprint("key", i/2), limits, now)
			}
		})
	}
	go func() { all.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-time.After(100 * time.Microsecond):
		}
		collect()
	}
	for i := range keys {
		want := callers
		if i < keys/2 {
			want += 2 * callers
		}
		if got := last[fmt.Sprint("key", i)]; got != want {
			t.Fatalf("key %d: %d requests, want %d", i, got, want)
		}
	}
	if len(last) != keys {
		t.Errorf("%d keys, want %d", len(last), keys)
	}
}

// BenchmarkTake has 64 callers that read the clock at every request, as the
// service does.
func BenchmarkTake(b *testing.B) {
	limits := quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay}
	for _, keys := range []int{64, 4096} {
		b.Run(fmt.Sprintf("%d keys", keys), func(b *testing.B) {
			m, names := quota.NewMemory(), make([]string, keys)
			for i := range names {
				names[i] = fmt.Sprintf("key_01ARYZ6S41%016d", i)
			}
			var callers atomic.Int64
			b.ReportAllocs()
			b.SetParallelism(64 / runtime.GOMAXPROCS(0))
			b.RunParallel(func(pb *testing.PB) {
				for i := int(callers.Add(1)) * 127; pb.Next(); i++ {
					take(b, m, names[i%keys], limits, time.Now().UnixMilli())
				}
			})
		})
	}
}

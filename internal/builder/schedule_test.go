package builder

import (
	"testing"
	"time"
)

func TestStartAt(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	after := func(d time.Duration) time.Time { return noon.Add(d) }
	for _, tt := range []struct {
		name     string
		p        pending
		lastEnd  time.Time
		lastTook time.Duration
		want     time.Time
	}{
		{"a quarter of a second after one change", pending{first: noon, last: noon}, time.Time{}, 0, after(250 * time.Millisecond)},
		{"after the last of several changes", pending{first: noon, last: after(time.Second)}, time.Time{}, 0, after(1250 * time.Millisecond)},
		{"not before a pause of nine durations", pending{first: noon, last: noon}, noon, 2 * time.Second, after(18 * time.Second)},
		{"endless changes wait at most a minute", pending{first: noon, last: after(59950 * time.Millisecond)}, time.Time{}, 0, after(time.Minute)},
		{"the pause after a slow build is at most a minute", pending{first: noon, last: noon}, noon, 20 * time.Second, after(time.Minute)},
		{"a running import delays at most a minute", pending{first: noon, last: noon, loading: true}, time.Time{}, 0, after(time.Minute)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := startAt(tt.p, tt.lastEnd, tt.lastTook); !got.Equal(tt.want) {
				t.Errorf("startAt = noon+%v, want noon+%v", got.Sub(noon), tt.want.Sub(noon))
			}
		})
	}
}

func TestNextLook(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		p    *pending
		now  time.Duration // after noon
		want time.Duration
	}{
		{"nothing pending", nil, 0, lookEvery},
		{"a change just noticed", &pending{first: noon, last: noon}, 0, lookEvery},
		{"a build that may start before the next regular look", &pending{first: noon, last: noon}, 200 * time.Millisecond, 50 * time.Millisecond},
		{"a build that may start now", &pending{first: noon, last: noon}, 250 * time.Millisecond, shortestLook},
		{"a running import", &pending{first: noon, last: noon, loading: true}, 200 * time.Millisecond, lookEvery},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := nextLook(tt.p, noon.Add(tt.now), time.Time{}, 0); got != tt.want {
				t.Errorf("nextLook = %v, want %v", got, tt.want)
			}
		})
	}
}

package main

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// spend sends n requests one after the other; all must pass.
func spend(t *testing.T, s *server, token string, n int) {
	t.Helper()
	for range n {
		if status, body := s.get(token, "/api/v1/account/me"); status != http.StatusOK {
			t.Fatalf("status %d %s", status, body)
		}
	}
}

// usage asks /account/usage, which counts itself.
func usage(t *testing.T, s *server, token string) usageAnswer {
	t.Helper()
	r, err := s.try(http.DefaultClient, "GET", token, "/api/v1/account/usage", "")
	if err != nil || r.status != http.StatusOK {
		t.Fatalf("usage: %d %s %v", r.status, r.body, err)
	}
	return checkUsage(t, r)
}

// TestRestartKeepsCounts: a stop forgets nothing, a kill at most the last
// second; neither opens a window again.
func TestRestartKeepsCounts(t *testing.T) {
	tests := []struct {
		name string
		end  func(*server)
		lost int // most requests that may be forgotten
	}{
		{"stopped", func(s *server) { s.stop() }, 0},
		{"killed a second after the last request", func(s *server) { time.Sleep(time.Second); s.kill() }, 0},
		{"killed at once", func(s *server) { s.kill() }, 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, s := limitServer(t)
			_, token := newKey(t, dir)
			withinMinute(8 * time.Second)
			spend(t, s, token, 5)
			time.Sleep(time.Second)
			spend(t, s, token, 8)
			tt.end(s)
			again := start(t, dir)
			u := usage(t, again, token)
			for what, used := range map[string]int{
				"minute": u.Data.Minute.Used, "day": u.Data.Day.Used, "last24h": u.Data.History.Last24h,
				"last7d": u.Data.History.Last7d, "last30d": u.Data.History.Last30d,
			} {
				if used < 14-tt.lost || used > 14 {
					t.Errorf("%s: %d requests are known of 14; at most %d may be lost", what, used, tt.lost)
				}
			}
			rest := len(passed(t, burst(t, again, clients(t), token, 60), 30, 43200))
			if granted := 14 + rest; granted < 30 || granted > 30+tt.lost {
				t.Errorf("%d requests passed in one minute over both runs, limit 30, at most %d may be lost", granted, tt.lost)
			}
		})
	}
}

// TestExhaustedStaysExhausted: who has nothing left has nothing left after a
// restart, in the minute and in the day.
func TestExhaustedStaysExhausted(t *testing.T) {
	dir, s := limitServer(t)
	tokens := map[string]string{}
	for window, args := range map[string][]string{"minute": nil, "day": {"--limit-day", "6"}} {
		_, tokens[window] = newKey(t, dir, args...)
	}
	withinMinute(8 * time.Second)
	passed(t, burst(t, s, clients(t), tokens["minute"], 40), 30, 43200)
	passed(t, burst(t, s, clients(t), tokens["day"], 40), 30, 6)
	for i, end := range []func(*server){func(s *server) { s.stop() }, func(s *server) { time.Sleep(time.Second); s.kill() }} {
		end(s)
		s = start(t, dir)
		for window, token := range tokens {
			if status, body := s.get(token, "/api/v1/account/me"); status != http.StatusTooManyRequests {
				t.Errorf("restart %d: the key whose %s is exhausted gets %d %s", i, window, status, body)
			}
		}
	}
}

// TestHistoryOverRuns adds up what several runs answered; refusals are left out.
func TestHistoryOverRuns(t *testing.T) {
	dir, s := limitServer(t)
	_, token := newKey(t, dir, "--limit-minute", "1000")
	_, refused := newKey(t, dir, "--limit-day", "3")
	total := 0
	for run := range 4 {
		spend(t, s, token, 3+run)
		total += 3 + run
		burst(t, s, clients(t), refused, 5)
		if run%2 == 0 {
			s.stop()
		} else {
			time.Sleep(time.Second)
			s.kill()
		}
		s = start(t, dir)
	}
	total++
	u := usage(t, s, token)
	if got, want := fmt.Sprint(u.Data.History), fmt.Sprint(struct{ A, B, C int }{total, total, total}); got != want {
		t.Errorf("history %s, want %s", got, want)
	}
	if got := must(t, dir, "", "key", "list"); got == "" {
		t.Error("no keys after the restarts")
	}
}

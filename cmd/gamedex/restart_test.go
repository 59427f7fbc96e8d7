package main

import (
	"context"
	"net/http"
	"testing"

	"gamedex/internal/sqldb"
	"gamedex/internal/testing/await"
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

// usage requests /account/usage, which is counted too.
func usage(t *testing.T, s *server, token string) usageAnswer {
	t.Helper()
	r, err := s.try(http.DefaultClient, "GET", token, "/api/v1/account/usage", "")
	if err != nil || r.status != http.StatusOK {
		t.Fatalf("usage: %d %s %v", r.status, r.body, err)
	}
	return checkUsage(t, r)
}

// stored returns how many requests of a key a database holds.
func stored(t *testing.T, dir, keyID string) (n int) {
	t.Helper()
	withDB(t, dir, func(ctx context.Context, db *sqldb.DB) error {
		rows, err := db.Accounts.UsageByHour(ctx, []string{keyID}, 0)
		for _, r := range rows {
			n += int(r.Count)
		}
		return err
	})
	return n
}

// waitStored waits until a database holds this many requests of a key.
func waitStored(t *testing.T, dir, keyID string, want int) {
	t.Helper()
	if n := 0; !await.Progress(func() bool { n = stored(t, dir, keyID); return n >= want }, func() any { return n }) {
		t.Fatalf("%d requests of %s are stored, want %d", n, keyID, want)
	}
}

// killed copies what a kill of the server in dir would leave behind now.
func killed(t *testing.T, dir string) (left string) {
	t.Helper()
	left = t.TempDir()
	copyDatabase(t, dir, left)
	copySnapshots(t, dir, left)
	return left
}

// TestRestartKeepsCounts checks that a stop loses no counts, that a kill loses
// at most those not stored yet, and that neither opens a window again.
func TestRestartKeepsCounts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(t *testing.T, dir, keyID string, s *server) (left string)
		lost int // most requests that may be lost
	}{
		{"stopped", func(t *testing.T, dir, _ string, s *server) string { s.stop(); return dir }, 0},
		{"killed when all is stored", func(t *testing.T, dir, keyID string, _ *server) string {
			waitStored(t, dir, keyID, 13)
			return killed(t, dir)
		}, 0},
		{"killed at once", func(t *testing.T, dir, _ string, _ *server) string { return killed(t, dir) }, 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, s, now := stoppedServer(t)
			id, token := newKey(t, dir)
			spend(t, s, token, 5)
			waitStored(t, dir, id, 5)
			spend(t, s, token, 8)
			again := startInside(t, now, tt.end(t, dir, id, s))
			u := usage(t, again, token)
			for what, used := range map[string]int{
				"minute": u.Data.Minute.Used, "day": u.Data.Day.Used, "last24h": u.Data.History.Last24h,
				"last7d": u.Data.History.Last7d, "last30d": u.Data.History.Last30d,
			} {
				if used < 14-tt.lost || used > 14 {
					t.Errorf("%s: %d requests are known of 14; at most %d may be lost", what, used, tt.lost)
				}
			}
			more := len(passed(t, burst(t, token, 60, again), 30, 43200))
			if granted := 14 + more; granted < 30 || granted > 30+tt.lost {
				t.Errorf("%d requests passed in one minute over both runs, limit 30, at most %d may be lost", granted, tt.lost)
			}
		})
	}
}

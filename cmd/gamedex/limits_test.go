package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// noon is a time today at which neither window is about to end.
func noon() time.Time { return time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour) }

// limitedRoutes are the routes of a burst, in turn: all share one limit.
var limitedRoutes = []string{
	"/api/v1/account/usage",
	"/api/v1/account/me",
	"/api/v1/catalog/prices?ids=game-00000",
	"/api/v1/catalog/search?q=game",
	"/api/v1/catalog/pcstore/games/none", // 404 is counted too
	"/api/v1/catalog/suggest?q=g",        // 400 is counted too
}

// burst sends n requests of one key to servers in turn, all at the same time, from n clients.
func burst(t *testing.T, token string, n int, servers ...*server) []reply {
	t.Helper()
	c := clients(t)
	replies := make([]reply, n)
	var together sync.WaitGroup
	begin := make(chan struct{})
	for i := range replies {
		together.Go(func() {
			<-begin
			r, err := servers[i%len(servers)].try(c, "GET", token, limitedRoutes[i%len(limitedRoutes)], "")
			if err != nil {
				t.Errorf("request %d: %v", i, err)
			}
			replies[i] = r
		})
	}
	close(begin)
	together.Wait()
	return replies
}

// passed returns the answers that the limits allowed. It checks that every
// answer, allowed or refused, reports consistent windows.
func passed(t *testing.T, replies []reply, minuteLimit, dayLimit int) []reply {
	t.Helper()
	var through []reply
	for i, r := range replies {
		checkWindow(t, r, "Minute", minuteLimit)
		checkWindow(t, r, "Day", dayLimit)
		if r.status == http.StatusTooManyRequests {
			checkRefusal(t, r, limitedRoutes[i%len(limitedRoutes)])
			continue
		}
		if r.status == http.StatusOK && strings.HasSuffix(limitedRoutes[i%len(limitedRoutes)], "/usage") {
			checkUsage(t, r)
		}
		through = append(through, r)
	}
	return through
}

func checkWindow(t *testing.T, r reply, window string, want int) {
	t.Helper()
	limit, remaining := r.limit(t, "Limit-"+window), r.limit(t, "Remaining-"+window)
	if limit != want || remaining < 0 || remaining > limit {
		t.Errorf("status %d: %s window has limit %d, remaining %d; want limit %d", r.status, window, limit, remaining, want)
	}
	if _, err := time.Parse(time.RFC3339, r.header.Get("X-RateLimit-Reset-"+window)); err != nil {
		t.Errorf("status %d: %s window: %v", r.status, window, err)
	}
}

// usageAnswer is the body of /account/usage.
type usageAnswer struct {
	Data struct {
		Minute, Day usageWindow
		History     struct{ Last24h, Last7d, Last30d int }
	}
}

type usageWindow struct {
	Limit, Used, Remaining int
	ResetAt                string
}

// checkUsage compares the body of /account/usage with the headers of the same
// answer.
func checkUsage(t *testing.T, r reply) usageAnswer {
	t.Helper()
	var u usageAnswer
	if err := json.Unmarshal([]byte(r.body), &u); err != nil {
		t.Errorf("usage %q: %v", r.body, err)
	}
	for name, w := range map[string]usageWindow{"Minute": u.Data.Minute, "Day": u.Data.Day} {
		header := usageWindow{Limit: r.limit(t, "Limit-"+name), Remaining: r.limit(t, "Remaining-"+name), ResetAt: r.header.Get("X-RateLimit-Reset-" + name)}
		header.Used = header.Limit - header.Remaining
		if w.Used > w.Limit || !sameWindow(w, header) {
			t.Errorf("usage has %+v for the %s window, the headers %+v", w, name, header)
		}
	}
	return u
}

func sameWindow(a, b usageWindow) bool {
	at, errA := time.Parse(time.RFC3339, a.ResetAt)
	bt, errB := time.Parse(time.RFC3339, b.ResetAt)
	a.ResetAt, b.ResetAt = "", ""
	return a == b && errA == nil && errB == nil && at.Equal(bt)
}

// checkRefusal checks a 429: the code of the route's family, the details of
// the window that is exhausted, and Retry-After.
func checkRefusal(t *testing.T, r reply, route string) {
	t.Helper()
	window := "Minute"
	if r.limit(t, "Remaining-Day") == 0 {
		window = "Day" // of two exhausted windows the day is reported
	}
	code := "RATE_LIMIT_EXCEEDED"
	if strings.HasPrefix(route, "/api/v1/catalog/prices") {
		code = "rate_limit_" + strings.ToLower(window)
	}
	f := r.failure(t)
	resetAt, _ := f.Error.Details["resetAt"].(string)
	end, err := time.Parse(time.RFC3339, resetAt)
	header, _ := time.Parse(time.RFC3339, r.header.Get("X-RateLimit-Reset-"+window))
	after, _ := f.Error.Details["retryAfter"].(float64)
	switch {
	case f.Error.Code != code:
		t.Errorf("%s: code %s, want %s", route, f.Error.Code, code)
	case f.Error.Details["limit"] != float64(r.limit(t, "Limit-"+window)):
		t.Errorf("%s: details %v do not name the limit of the %s window", route, f.Error.Details, window)
	case err != nil || !end.Equal(header):
		t.Errorf("%s: details.resetAt %q, header %v", route, resetAt, header)
	case after < 1 || strconv.Itoa(int(after)) != r.header.Get("Retry-After"):
		t.Errorf("%s: retryAfter %v, Retry-After %q", route, after, r.header.Get("Retry-After"))
	}
}

// limitServer is a running server with a small catalog.
func limitServer(t *testing.T) (dir string, s *server) {
	t.Helper()
	dir = t.TempDir()
	must(t, dir, newStock(10, "UA", "TR").feed(0), "import", "-")
	s = start(t, dir)
	s.healthy()
	return dir, s
}

// stoppedServer is a limitServer inside the test whose clock does not advance.
func stoppedServer(t *testing.T) (dir string, s *server, now *clock) {
	t.Helper()
	dir, now = t.TempDir(), new(clock)
	must(t, dir, newStock(10, "UA", "TR").feed(0), "import", "-")
	s = startInside(t, now, dir)
	s.healthy()
	now.set(noon())
	return dir, s, now
}

// healthy waits until the server has a catalog to serve.
func (s *server) healthy() {
	s.t.Helper()
	s.waitFor("", "/api/v1/health", func(status int, _ string) bool { return status == http.StatusOK })
}

// TestLimitsAreExact sends 200 requests at once on one key. It checks that as
// many pass as the tighter limit allows, and that each of those reports another
// remainder.
func TestLimitsAreExact(t *testing.T) {
	dir, s, _ := stoppedServer(t)
	tests := []struct {
		name        string
		args        []string
		minute, day int
	}{
		{"the limits of the specification", nil, 30, 43200},
		{"a separate minute limit", []string{"--limit-minute", "7"}, 7, 43200},
		{"a minute limit of one", []string{"--limit-minute", "1"}, 1, 43200},
		{"a higher minute limit", []string{"--limit-minute", "150"}, 150, 43200},
		{"a day limit below the minute limit", []string{"--limit-day", "5"}, 30, 5},
		{"both limits exhausted at once", []string{"--limit-minute", "12", "--limit-day", "12"}, 12, 12},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, token := newKey(t, dir, tt.args...)
			through := passed(t, burst(t, token, 200, s), tt.minute, tt.day)
			if want := min(tt.minute, tt.day); len(through) != want {
				t.Fatalf("%d of 200 requests passed, want %d", len(through), want)
			}
			for _, w := range []struct {
				name  string
				limit int
			}{{"Minute", tt.minute}, {"Day", tt.day}} {
				checkCountdown(t, through, w.name, w.limit)
			}
		})
	}
}

// checkCountdown checks that each remainder from limit-1 downwards occurs
// exactly once.
func checkCountdown(t *testing.T, through []reply, window string, limit int) {
	t.Helper()
	var seen []int
	for _, r := range through {
		seen = append(seen, r.limit(t, "Remaining-"+window))
	}
	slices.Sort(seen)
	slices.Reverse(seen)
	for i, remaining := range seen {
		if remaining != limit-1-i {
			t.Fatalf("%s window: remainders %v, want each from %d downwards once", window, seen, limit-1)
		}
	}
}

package account_test

import (
	"fmt"
	"math"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/account"
)

const (
	minute  = 60_000 // milliseconds
	quarter = 15 * minute
	noon    = 1_800_000_000_000
)

var (
	home = netip.MustParseAddr("203.0.113.7")
	away = netip.MustParseAddr("198.51.100.9")
)

// nth returns the nth of 16 million IPv4 addresses.
func nth(n int) netip.Addr { return netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}) }

// admitted returns how many of n tries in a row are admitted.
func admitted(n int, try func(i int) time.Duration) int {
	count := 0
	for i := range n {
		if try(i) == 0 {
			count++
		}
	}
	return count
}

func TestAdmitLimits(t *testing.T) {
	person := func(i int) string { return fmt.Sprintf("p%d@example.com", i) }
	tests := []struct {
		name  string
		limit int
		span  time.Duration
		try   func(th *account.Throttle, i int, now int64) time.Duration
	}{
		{"one account from one address", 5, quarter * time.Millisecond, func(th *account.Throttle, _ int, now int64) time.Duration {
			return th.Admit("ann@example.com", home, false, now)
		}},
		{"many accounts from one address", 20, quarter * time.Millisecond, func(th *account.Throttle, i int, now int64) time.Duration {
			return th.Admit(person(i), home, false, now)
		}},
		{"one account from many addresses", 50, time.Hour, func(th *account.Throttle, i int, now int64) time.Duration {
			return th.Admit("ann@example.com", nth(i), false, now)
		}},
		{"one account from a known browser", 10, quarter * time.Millisecond, func(th *account.Throttle, i int, now int64) time.Duration {
			return th.Admit("ann@example.com", nth(i), true, now)
		}},
		{"many accounts from one IPv6 network", 20, quarter * time.Millisecond, func(th *account.Throttle, i int, now int64) time.Duration {
			return th.Admit(person(i), netip.MustParseAddr(fmt.Sprintf("2001:db8:0:1:%x::%x", i, i*77)), false, now)
		}},
		{"one address in three forms", 20, quarter * time.Millisecond, func(th *account.Throttle, i int, now int64) time.Duration {
			forms := []netip.Addr{home, netip.MustParseAddr("::ffff:203.0.113.7"), netip.MustParseAddr("::ffff:203.0.113.7%eth0")}
			return th.Admit(person(i), forms[i%3], false, now)
		}},
		{"unknown addresses", 20, quarter * time.Millisecond, func(th *account.Throttle, i int, now int64) time.Duration {
			return th.Admit(person(i), netip.Addr{}, false, now)
		}},
		{"something else", 30, time.Hour, func(th *account.Throttle, _ int, now int64) time.Duration {
			return th.Allow("sign-up", home, 30, time.Hour, now)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			th := account.NewThrottle(nil)
			if n := admitted(100, func(i int) time.Duration { return tt.try(th, i, noon) }); n != tt.limit {
				t.Errorf("%d tries admitted, want %d", n, tt.limit)
			}
			span := tt.span.Milliseconds()
			if wait := tt.try(th, 100, noon+1); wait != tt.span-time.Millisecond {
				t.Errorf("a millisecond later: wait %s, want %s less 1ms", wait, tt.span)
			}
			if wait := tt.try(th, 101, noon+span-1); wait != time.Millisecond {
				t.Errorf("just before the end: wait %s", wait)
			}
			if n := admitted(100, func(i int) time.Duration { return tt.try(th, 200+i, noon+span) }); n != tt.limit {
				t.Errorf("in the next window: %d tries admitted, want %d", n, tt.limit)
			}
		})
	}
}

func TestThrottleSeparatesKeys(t *testing.T) {
	th := account.NewThrottle(nil)
	for i := range 20 {
		th.Admit(fmt.Sprintf("p%d@example.com", i), netip.MustParseAddr("2001:db8:0:1::5"), false, noon)
		th.Allow("sign-up", home, 20, time.Hour, noon)
	}
	if th.Admit("ann@example.com", netip.MustParseAddr("2001:db8:0:2::5"), false, noon) != 0 {
		t.Error("the next /64 is refused")
	}
	if th.Allow("sign-up", away, 20, time.Hour, noon) != 0 || th.Allow("link", home, 20, time.Hour, noon) != 0 {
		t.Error("another address or another thing is refused")
	}
	// Different parts must never have the same key.
	for range 5 {
		th.Admit("a", netip.MustParseAddr("12.0.0.1"), false, noon)
	}
	if th.Admit("a1", netip.MustParseAddr("2.0.0.1"), false, noon) != 0 {
		t.Error("another email and address are refused")
	}
}

func TestSucceededGivesBack(t *testing.T) {
	for _, known := range []bool{false, true} {
		th := account.NewThrottle(nil)
		for range 10 { // more than were admitted
			th.GiveBack("ann@example.com", home, known, noon)
		}
		for i := range 500 {
			if wait := th.Admit("ann@example.com", home, known, noon); wait != 0 {
				t.Fatalf("known %v: sign-in %d is refused for %s", known, i, wait)
			}
			th.Succeeded("ann@example.com", home, known, noon)
		}
		wantSame(t, fmt.Sprintf("remembered, known %v", known), remembered(0, 0, 0, 0, 0), th.Remembered())
		limit := map[bool]int{false: 5, true: 10}[known]
		if n := admitted(100, func(int) time.Duration { return th.Admit("ann@example.com", home, known, noon) }); n != limit {
			t.Errorf("known %v: %d tries after all were given back, want %d", known, n, limit)
		}
	}
}

func TestOwnerGetsInDuringAnAttack(t *testing.T) {
	tests := []struct {
		name   string
		from   func(i int) netip.Addr
		passed int // of the attacker's tries in half an hour
	}{
		{"from 10,000 addresses", nth, 50},
		{"from behind the owner's address", func(int) netip.Addr { return home }, 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			th, passed := account.NewThrottle(nil), 0
			for i := range 10_000 {
				now := noon + int64(i)*30*minute/10_000
				if th.Admit("ann@example.com", tt.from(i), false, now) == 0 {
					passed++
				}
				if i%100 != 0 {
					continue
				}
				if wait := th.Admit("ann@example.com", home, true, now); wait != 0 {
					t.Fatalf("after %d tries of others the owner waits %s", i, wait)
				}
				if i%1000 != 0 { // sometimes the owner mistypes
					th.GiveBack("ann@example.com", home, true, now)
				}
			}
			if passed != tt.passed {
				t.Errorf("%d of the attacker's tries passed, want %d", passed, tt.passed)
			}
		})
	}
}

func TestConcurrentTries(t *testing.T) {
	th := account.NewThrottle(nil)
	var passed atomic.Int64
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Go(func() {
			if th.Admit("ann@example.com", nth(i), false, noon+int64(i%7)) == 0 {
				passed.Add(1)
			}
		})
	}
	wg.Wait()
	if passed.Load() != 50 {
		t.Errorf("%d of 1000 passed, want 50", passed.Load())
	}
}

func TestThrottleIsBounded(t *testing.T) {
	th := account.NewThrottle(nil)
	flood := func(from, to int) {
		for i := from; i < to; i++ {
			email := fmt.Sprintf("p%d@example.com", i)
			th.Admit(email, nth(i), false, noon)
			th.Admit(email, nth(i), true, noon)
			th.Allow("link", nth(i), 30, time.Hour, noon)
		}
	}
	long := strings.Repeat("x", 1<<20)
	for range 5 {
		th.Admit(long, home, false, noon)
	}
	flood(1, 20_000)
	if th.Admit(long, home, false, noon) == 0 {
		t.Error("forgotten while there is room")
	}
	flood(20_000, 20_100)
	wantSame(t, "remembered", remembered(20_000, 20_000, 20_000, 20_000, 20_000), th.Remembered())
	if th.Admit(long, home, false, noon) != 0 {
		t.Error("the oldest is remembered instead of younger ones")
	}
}

// TestOldestWindowsAreDroppedFirst checks that the windows that began first are forgotten
// first, whenever they were last used.
func TestOldestWindowsAreDroppedFirst(t *testing.T) {
	th := account.NewThrottle(nil)
	try := func(i int) time.Duration { return th.Allow("link", nth(i), 2, time.Hour, noon) }
	for i := range 20_000 {
		try(i)
	}
	for i := range 20_000 {
		try(19_999 - i)
	}
	try(20_000) // takes the place of the first
	if got := []bool{try(1) == 0, try(19_999) == 0, try(0) == 0}; !cmp.Equal(got, []bool{false, false, true}) {
		t.Errorf("admitted: second, last and first are %v, want the first alone", got)
	}
}

func TestEndedWindowsAreDropped(t *testing.T) {
	th := account.NewThrottle(nil)
	for i := range 1000 {
		th.Admit("ann@example.com", nth(i), false, noon)
		th.Admit(fmt.Sprint(i), nth(i), true, noon)
		th.Allow("link", nth(i), 30, time.Hour, noon)
	}
	th.Admit("bob@example.com", home, false, noon+60*minute)
	th.Admit("bob@example.com", home, true, noon+60*minute)
	th.Allow("link", home, 30, time.Hour, noon+60*minute)
	wantSame(t, "remembered", remembered(1, 1, 1, 1, 1), th.Remembered())
}

// wantSame checks that two values are the same.
func wantSame(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func remembered(known, addresses, pairs, emails, others int) map[string]int {
	return map[string]int{"known": known, "addresses": addresses, "pairs": pairs, "emails": emails, "others": others}
}

func TestClockSetBack(t *testing.T) {
	tests := []struct {
		name string
		back int64
		want time.Duration
	}{
		{"a little", 5000, (quarter + 5000) * time.Millisecond},
		{"by the window", quarter, 2 * quarter * time.Millisecond},
		{"by more than the window", quarter + 1, 0},
		{"by years", noon, 0},
	}
	for _, tt := range tests {
		th := account.NewThrottle(nil)
		for range 10 {
			th.Admit("ann@example.com", home, true, noon)
		}
		if wait := th.Admit("ann@example.com", home, true, noon-tt.back); wait != tt.want {
			t.Errorf("%s: wait %s, want %s", tt.name, wait, tt.want)
		}
	}
}

// TestThrottleInvalidArguments checks that invalid arguments break nothing.
func TestThrottleInvalidArguments(t *testing.T) {
	th := account.NewThrottle(nil)
	for _, now := range []int64{0, -1, math.MinInt64, math.MaxInt64} {
		for _, limit := range []int{0, -1, 1, math.MaxInt} {
			for _, window := range []time.Duration{0, -1, math.MinInt64, math.MaxInt64} {
				th.Allow("", netip.Addr{}, limit, window, now)
			}
		}
		th.Admit("", netip.Addr{}, false, now)
		th.Succeeded("", netip.Addr{}, true, now)
		th.GiveBack("", netip.Addr{}, false, now)
	}
	if th.Admit("ann@example.com", home, false, noon) != 0 {
		t.Error("a first try is refused")
	}
}

// failure is an admitted try with the wrong password.
type failure struct {
	at          int64
	email, addr string
	known       bool
}

// fullUntil goes through the failures and returns when the window ends in which
// limit of them lie at now; 0 if there is room.
func fullUntil(failures []failure, now, span int64, limit int, counts func(failure) bool) int64 {
	end, n := int64(0), 0
	for _, f := range failures {
		if !counts(f) {
			continue
		}
		if f.at >= end {
			end, n = f.at+span, 0
		}
		n++
	}
	if n < limit || now >= end {
		return 0
	}
	return end
}

// TestAdmitAgainstModel checks that a try is refused exactly when one of the
// rules, computed from the list of all failures, says so, and for exactly that
// long.
func TestAdmitAgainstModel(t *testing.T) {
	emails := rapid.SampledFrom([]string{"a@x", "b@x", "c@x", "d@x", "e@x", "f@x"})
	rapid.Check(t, func(t *rapid.T) {
		th, now := account.NewThrottle(nil), int64(noon)
		addresses := rapid.IntRange(0, rapid.SampledFrom([]int{0, 2, 40}).Draw(t, "addresses"))
		var all, sinceSuccess []failure
		for range rapid.IntRange(1, 400).Draw(t, "tries") {
			now += rapid.SampledFrom([]int64{0, 0, 1, 1000, minute, 10 * minute}).Draw(t, "pause")
			addr := nth(addresses.Draw(t, "address"))
			f := failure{now, emails.Draw(t, "email"), addr.String(), rapid.IntRange(0, 3).Draw(t, "known") == 0}
			sameAddr := func(o failure) bool { return !o.known && o.addr == f.addr }
			sameEmail := func(o failure) bool { return !o.known && o.email == f.email }
			samePair := func(o failure) bool { return sameAddr(o) && sameEmail(o) }
			until := max(
				fullUntil(all, now, quarter, 20, sameAddr),
				fullUntil(sinceSuccess, now, quarter, 5, samePair),
				fullUntil(all, now, 60*minute, 50, sameEmail))
			if f.known {
				until = fullUntil(all, now, quarter, 10, func(o failure) bool { return o.known && o.email == f.email })
			}
			want := time.Duration(max(until-now, 0)) * time.Millisecond
			if got := th.Admit(f.email, addr, f.known, now); got != want {
				t.Fatalf("%+v: wait %s, want %s", f, got, want)
			}
			if want > 0 {
				continue
			}
			switch rapid.SampledFrom([]string{"wrong", "wrong", "wrong", "wrong", "wrong", "wrong", "right", "busy"}).Draw(t, "outcome") {
			case "wrong":
				all, sinceSuccess = append(all, f), append(sinceSuccess, f)
			case "right":
				th.Succeeded(f.email, addr, f.known, now)
				var rest []failure
				for _, o := range sinceSuccess {
					if !samePair(o) {
						rest = append(rest, o)
					}
				}
				sinceSuccess = rest
			case "busy":
				th.GiveBack(f.email, addr, f.known, now)
			}
		}
	})
}

package quota_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/quota"
)

// at converts a UTC time to Unix milliseconds.
func at(s string) int64 {
	t, err := time.Parse("2006-01-02 15:04:05.000", s)
	if err != nil {
		panic(err)
	}
	return t.UnixMilli()
}

func spentAt(s string, minuteUsed, dayUsed int) quota.Spent {
	return quota.Spent{Minute: at(s) / 60_000, MinuteUsed: minuteUsed, DayUsed: dayUsed}
}

func TestTake(t *testing.T) {
	const noon = "2026-03-01 12:00:00.000"
	limits := quota.Limits{Minute: 3, Day: 5}
	tests := []struct {
		name  string
		spent quota.Spent
		now   string
		want  quota.Decision
	}{
		{"first ever", quota.Spent{}, noon, quota.Decision{
			Allowed: true,
			Minute:  quota.Window{Limit: 3, Used: 1, Remaining: 2, ResetAt: at("2026-03-01 12:01:00.000")},
			Day:     quota.Window{Limit: 5, Used: 1, Remaining: 4, ResetAt: at("2026-03-02 00:00:00.000")},
		}},
		{"minute exhausted", spentAt(noon, 3, 3), "2026-03-01 12:00:10.500", quota.Decision{
			Minute:    quota.Window{Limit: 3, Used: 3, Remaining: 0, ResetAt: at("2026-03-01 12:01:00.000")},
			Day:       quota.Window{Limit: 5, Used: 3, Remaining: 2, ResetAt: at("2026-03-02 00:00:00.000")},
			Exhausted: quota.ExhaustedMinute, RetryAfter: 50,
		}},
		{"both exhausted reports the day", spentAt(noon, 3, 5), noon, quota.Decision{
			Minute:    quota.Window{Limit: 3, Used: 3, Remaining: 0, ResetAt: at("2026-03-01 12:01:00.000")},
			Day:       quota.Window{Limit: 5, Used: 5, Remaining: 0, ResetAt: at("2026-03-02 00:00:00.000")},
			Exhausted: quota.ExhaustedDay, RetryAfter: 12 * 3600,
		}},
		{"a limit lowered below what is used", spentAt(noon, 20, 20), noon, quota.Decision{
			Minute:    quota.Window{Limit: 3, Used: 3, Remaining: 0, ResetAt: at("2026-03-01 12:01:00.000")},
			Day:       quota.Window{Limit: 5, Used: 5, Remaining: 0, ResetAt: at("2026-03-02 00:00:00.000")},
			Exhausted: quota.ExhaustedDay, RetryAfter: 12 * 3600,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			looked := tt.spent.Look(limits, at(tt.now))
			after, got := tt.spent.Take(limits, at(tt.now))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
			if looked.Allowed != got.Allowed || looked.Exhausted != got.Exhausted || looked.RetryAfter != got.RetryAfter {
				t.Errorf("Look before: %+v", looked)
			}
			if !got.Allowed && (after.At(at(tt.now)) != tt.spent.At(at(tt.now)) || looked != got) {
				t.Errorf("a refusal was charged: %+v to %+v", tt.spent, after)
			}
			if got.Allowed && after.Look(limits, at(tt.now)).Minute != got.Minute {
				t.Errorf("Look after: %+v", after.Look(limits, at(tt.now)))
			}
		})
	}
}

func TestLimitsAreBounded(t *testing.T) {
	for _, tt := range []struct {
		limits quota.Limits
		want   quota.Limits
	}{
		{quota.Limits{Minute: -1, Day: -1}, quota.Limits{}},
		{quota.Limits{Minute: 1 << 40, Day: 1 << 40}, quota.Limits{Minute: 262_143, Day: 4_194_303}},
	} {
		d := quota.Spent{}.Look(tt.limits, at("2026-03-01 12:00:00.000"))
		if got := (quota.Limits{Minute: d.Minute.Limit, Day: d.Day.Limit}); got != tt.want {
			t.Errorf("%v counts as %v, want %v", tt.limits, got, tt.want)
		}
	}
	if _, d := (quota.Spent{}).Take(quota.Limits{}, 0); d.Allowed {
		t.Error("a limit of zero let a request pass")
	}
}

func genLimits() *rapid.Generator[quota.Limits] {
	return rapid.Custom(func(t *rapid.T) quota.Limits {
		return quota.Limits{Minute: rapid.IntRange(1, 4).Draw(t, "minute"), Day: rapid.IntRange(1, 9).Draw(t, "day")}
	})
}

func checkSane(t *rapid.T, d quota.Decision, now int64) {
	for _, w := range []quota.Window{d.Minute, d.Day} {
		if w.Used < 0 || w.Remaining < 0 || w.Used+w.Remaining != w.Limit || w.ResetAt <= now {
			t.Fatalf("impossible window %+v at %d", w, now)
		}
	}
	if reset := d.Window().ResetAt; !d.Allowed && (d.RetryAfter < 1 ||
		now+int64(d.RetryAfter)*1000 < reset || now+int64(d.RetryAfter-1)*1000 >= reset) {
		t.Fatalf("retry after %d s for a reset in %d ms", d.RetryAfter, reset-now)
	}
}

// TestASteppedClock sets the clock forward and back again after the limits were
// used up, over a minute and over a day, in memory and over a restart, and checks
// when requests pass again.
func TestASteppedClock(t *testing.T) {
	const minute, hours, day = 60_000, 3_600_000, 24 * 3_600_000
	noon, late := at("2026-03-01 12:00:30.000"), at("2026-03-01 23:59:30.000")
	byMinute, byDay := quota.Limits{Minute: 3, Day: 100}, quota.Limits{Minute: 100, Day: 3}
	for _, tt := range []struct {
		name   string
		limits quota.Limits
		from   int64 // the limit is used up here
		step   int64 // and then the clock goes here, relative to from
		wait   int64 // after that, requests pass again
	}{
		{"a minute forward", byMinute, noon, minute, 0},
		{"a minute back", byMinute, noon, -minute, minute + 30_000},
		{"two minutes back", byMinute, noon, -2 * minute, 2*minute + 30_000},
		{"three minutes back", byMinute, noon, -3 * minute, 0},
		{"five hours back", byMinute, noon, -5 * hours, 0},
		{"a day back", byMinute, noon, -day, 0},
		{"a year back", byMinute, noon, -365 * day, 0},
		{"forward over midnight", byMinute, late, minute, 0},
		{"back over midnight by a minute", byMinute, at("2026-03-02 00:00:30.000"), -minute, minute + 30_000},
		{"back over midnight by an hour", byMinute, at("2026-03-02 00:00:30.000"), -hours, 0},
		{"day used up, five hours forward", byDay, noon, 5 * hours, 7*hours - 30_000},
		{"day used up, five hours back", byDay, noon, -5 * hours, 17*hours - 30_000},
		{"day used up, over midnight forward", byDay, late, minute, 0},
		{"day used up tomorrow, a day back", byDay, noon, -day, 12*hours - 30_000},
		{"day used up in a year, a year back", byDay, noon, -365 * day, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, restart := range []bool{false, true} {
				now, s := tt.from, newRepository()
				n := startNode(t, s, "first", func() int64 { return now })
				for range 3 {
					if !take(t, n.memory, "k", tt.limits, now).Allowed {
						t.Fatal("refused within the limits")
					}
				}
				// again restarts, if restarts are tested.
				again := func() {
					must(t, n.Flush(t.Context()))
					if restart {
						n = startNode(t, s, "next", func() int64 { return now })
					}
				}
				again()
				now += tt.step
				again()
				if tt.wait > 0 {
					now += tt.wait - 1
					if d := take(t, n.memory, "k", tt.limits, now); d.Allowed {
						t.Errorf("restart %v: passes before %d ms", restart, tt.wait)
					}
					again()
					now++
				}
				if d := take(t, n.memory, "k", tt.limits, now); !d.Allowed {
					t.Errorf("restart %v: refused after %d ms: %+v", restart, tt.wait, d)
				}
				again()
				if d, _ := n.memory.Look(t.Context(), "k", tt.limits, quota.Owner{}, now); d.Minute.Used != 1 {
					t.Errorf("restart %v: %d requests of this minute are known, want 1", restart, d.Minute.Used)
				}
			}
		})
	}
}

// TestTakeAgainstCounting compares Take with a naive limiter, which counts the requests that passed in this minute and
// on this day. However the clock jumps within two minutes, they are counted as if it had stopped at its latest time: no
// window opens again.
func TestTakeAgainstCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits, spent := genLimits().Draw(t, "limits"), quota.Spent{}
		latest := rapid.Int64Range(120_000, at("2100-01-01 00:00:00.000")).Draw(t, "start")
		jumps := rapid.Bool().Draw(t, "jumps")
		minutes, days := map[int64]int{}, map[int64]int{}
		for i := range rapid.IntRange(1, 80).Draw(t, "requests") {
			now := latest + rapid.OneOf(rapid.Int64Range(0, 50_000), rapid.Int64Range(0, 150_000), rapid.Int64Range(0, 100_000_000)).Draw(t, "forward")
			if jumps && i > 0 {
				now = latest + rapid.SampledFrom([]int64{now - latest, -60_000, -119_999}).Draw(t, "step")
			}
			latest = max(latest, now)
			minute, day := latest/60_000, latest/86_400_000
			want := minutes[minute] < limits.Minute && days[day] < limits.Day
			var d quota.Decision
			spent, d = spent.Take(limits, now)
			if d.Allowed != want {
				t.Fatalf("allowed %v at %d, the latest time being %d; want %v", d.Allowed, now, latest, want)
			}
			if want {
				minutes[minute]++
				days[day]++
			}
			if now == latest && (d.Minute.Used != minutes[minute] || d.Day.Used != days[day]) {
				t.Fatalf("used %d and %d, want %d and %d", d.Minute.Used, d.Day.Used, minutes[minute], days[day])
			}
			if now == latest && (d.Minute.ResetAt != (minute+1)*60_000 || d.Day.ResetAt != (day+1)*86_400_000) {
				t.Fatalf("at %d the windows end at %d and %d", now, d.Minute.ResetAt, d.Day.ResetAt)
			}
			checkSane(t, d, now)
		}
	})
}

// TestOwnersAgainstCounting compares keys of one owner with a naive limiter, over
// restarts: a request passes only if key and owner have one left, and is charged
// to both or to neither.
func TestOwnersAgainstCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, stored := quota.NewMemory(), map[string]quota.State{}
		now := rapid.Int64Range(0, at("2100-01-01 00:00:00.000")).Draw(t, "start")
		used := map[string]int{} // by key or owner, and window
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			now += rapid.OneOf(rapid.Int64Range(0, 20_000), rapid.Int64Range(0, 50_000_000)).Draw(t, "pause")
			limits, owner := genLimits().Draw(t, "limits"), quota.Owner{ID: "usr_1", Limits: genLimits().Draw(t, "of the owner")}
			key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key")
			window := func(of string, millis int64) string { return fmt.Sprint(of, now/millis, "of", millis) }
			keyMinute, keyDay := window(key, 60_000), window(key, 86_400_000)
			ownerMinute, ownerDay := window("owner", 60_000), window("owner", 86_400_000)
			byKey := used[keyMinute] < limits.Minute && used[keyDay] < limits.Day
			byOwner := used[ownerMinute] < owner.Limits.Minute && used[ownerDay] < owner.Limits.Day
			looked, _ := m.Look(context.Background(), key, limits, owner, now)
			d, err := m.Take(context.Background(), key, limits, owner, now)
			if err != nil || d.Allowed != (byKey && byOwner) || looked.Allowed != d.Allowed || d.ByOwner && byOwner {
				t.Fatalf("%+v, %v; the key has some left: %v, the owner: %v", d, err, byKey, byOwner)
			}
			if d.Allowed {
				for _, w := range []string{keyMinute, keyDay, ownerMinute, ownerDay} {
					used[w]++
				}
			}
			left := max(0, min(limits.Minute-used[keyMinute], owner.Limits.Minute-used[ownerMinute]))
			if d.Minute.Limit != limits.Minute || d.Minute.Remaining != left {
				t.Fatalf("%+v, want %d left", d.Minute, left)
			}
			if rapid.IntRange(0, 5).Draw(t, "restart") == 0 {
				for _, st := range m.Changed(now) {
					stored[st.ID] = st
				}
				m = quota.NewMemory()
				for _, st := range stored {
					m.Load([]quota.State{st})
				}
			}
		}
	})
}

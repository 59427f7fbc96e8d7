package quota_test

import (
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/quota"
)

// genSpent generates states around a time.
func genSpent(now int64) *rapid.Generator[quota.Spent] {
	return rapid.Custom(func(t *rapid.T) quota.Spent {
		s := quota.Spent{Minute: max(0, now/60_000+rapid.Int64Range(-3000, 3000).Draw(t, "minutes"))}
		if rapid.Bool().Draw(t, "this minute") {
			s.Minute = now/60_000 + rapid.Int64Range(0, quota.MaxAhead).Draw(t, "ahead")
		}
		s.MinuteUsed = rapid.IntRange(0, 12).Draw(t, "in the minute")
		s.DayUsed = s.MinuteUsed + rapid.IntRange(0, 12).Draw(t, "before")
		return s
	})
}

// TestSharesAddUpToTheLimit checks that nodes that cannot ask each other allow together
// what is left of the limits, and at most one request more for each further node.
func TestSharesAddUpToTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := rapid.Int64Range(at("2026-03-01 00:00:00.000"), at("2026-03-02 00:00:00.000")).Draw(t, "now")
		nodes := rapid.IntRange(1, 7).Draw(t, "nodes")
		l := quota.Limits{Minute: rapid.IntRange(1, 40).Draw(t, "minute"), Day: rapid.IntRange(1, 60).Draw(t, "day")}
		o := quota.Owner{Limits: quota.Limits{Minute: rapid.IntRange(0, 40).Draw(t, "owner's minute"), Day: rapid.IntRange(0, 60).Draw(t, "owner's day")}}
		if rapid.Bool().Draw(t, "owner") {
			o.ID = "usr"
		}
		known := quota.Pair{Key: genSpent(now).Draw(t, "key"), Owner: genSpent(now).Draw(t, "of the owner")}
		rest := func(s quota.Spent, l quota.Limits) int {
			d := s.Look(l, now)
			return min(d.Minute.Remaining, d.Day.Remaining)
		}
		left := rest(known.Key, l)
		if o.ID != "" {
			left = min(left, rest(known.Owner, o.Limits))
		}
		passed := 0
		for range nodes {
			var granted quota.Pair
			for {
				looked := known.LookShare(granted, l, o, nodes, now)
				after, d := known.TakeShare(granted, l, o, nodes, now)
				if looked.Allowed != d.Allowed || d.Minute.Used > l.Minute || d.Day.Used > l.Day || d.Minute.Remaining < 0 || d.Day.Remaining < 0 {
					t.Fatalf("%+v, looked %+v", d, looked)
				}
				if !d.Allowed {
					if after != granted || d.RetryAfter < 1 || d.Window().Remaining != 0 || looked != d {
						t.Fatalf("refused: %+v", d)
					}
					break
				}
				granted = after
				passed++
			}
		}
		if passed < left || passed > left+nodes-1 {
			t.Fatalf("%d nodes allowed %d requests, want %d and at most %d more", nodes, passed, left, nodes-1)
		}
	})
}

// TestJoinedStates checks that states are joined in any order with the same result,
// and that only windows that they share are.
func TestJoinedStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := at("2026-03-01 00:01:00.000")
		a, b := genSpent(now).Draw(t, "a"), genSpent(now).Draw(t, "b")
		if a.Max(b) != b.Max(a) || a.Add(b) != b.Add(a) || a.Max(a) != a || a.Add(quota.Spent{Minute: a.Minute}) != a {
			t.Fatal("the order matters")
		}
		later, highest, sum := a, a.Max(b), a.Add(b)
		if later.Minute < b.Minute {
			later = b
		}
		without := a
		if a.DayUsed == 0 {
			without = quota.Spent{}
		}
		if a.Minute/1440 != b.Minute/1440 && a.Sub(b) != without || later == a && sum.Sub(b) != without {
			t.Fatalf("%+v and %+v: their sum without the second is %+v", a, b, sum.Sub(b))
		}
		switch {
		case a.Minute == b.Minute:
			if sum.MinuteUsed != a.MinuteUsed+b.MinuteUsed || highest.MinuteUsed != max(a.MinuteUsed, b.MinuteUsed) || sum.DayUsed != a.DayUsed+b.DayUsed {
				t.Fatalf("the same minute: %+v, %+v", highest, sum)
			}
		case a.Minute/1440 == b.Minute/1440:
			if sum.MinuteUsed != later.MinuteUsed || sum.DayUsed != a.DayUsed+b.DayUsed || highest.DayUsed != max(a.DayUsed, b.DayUsed) {
				t.Fatalf("the same day: %+v, %+v", highest, sum)
			}
		case highest != later || sum != later:
			t.Fatalf("different days: %+v, %+v, want %+v", highest, sum, later)
		}
	})
}

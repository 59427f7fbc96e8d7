package quota

import "context"

// The highest limits that fit a counter's word.
const (
	MaxMinute = 1<<18 - 1 // 262,143 requests a minute
	MaxDay    = 1<<22 - 1 // 4,194,303 requests a day
)

// MaxAhead is how many minutes a state may be ahead of the clock and still count
// as the present.
const MaxAhead = 2

const (
	minuteMillis  = 60_000
	minutesPerDay = 24 * 60
)

// Limits is how many requests a key may make in a minute and in a day. Values
// outside 0..[MaxMinute] and 0..[MaxDay] count as the nearest bound.
type Limits struct{ Minute, Day int }

// Owner is who a key belongs to, and how many requests all their keys may
// make together. These limits have no upper bound. The zero value stands for no owner.
type Owner struct {
	ID     string
	Limits Limits
}

func (l Limits) bounded() Limits {
	return Limits{Minute: min(max(l.Minute, 0), MaxMinute), Day: min(max(l.Day, 0), MaxDay)}
}

// Window is the state of one window of a key after a request. Used + Remaining =
// Limit, unless less is left to its owner, or to a node that counts alone: then
// that is Remaining.
type Window struct {
	Limit, Used, Remaining int
	ResetAt                int64 // the window's end, Unix milliseconds
}

// Exhausted names the window that refused a request.
type Exhausted uint8

// The windows that can be exhausted. A request over both reports the day.
const (
	ExhaustedNone Exhausted = iota
	ExhaustedMinute
	ExhaustedDay
)

// Decision is whether a request is allowed, and both windows of its key after it.
type Decision struct {
	Allowed     bool
	Minute, Day Window
	Exhausted   Exhausted
	ByOwner     bool   // the exhausted window is the owner's, not the key's
	OwnerWindow Window // the exhausted window, if ByOwner
	RetryAfter  int    // whole seconds, rounded up, at least 1; 0 if Allowed
}

// Window returns the exhausted window, or the minute if neither is exhausted.
func (d Decision) Window() Window {
	switch {
	case d.ByOwner:
		return d.OwnerWindow
	case d.Exhausted == ExhaustedDay:
		return d.Day
	}
	return d.Minute
}

// within returns the decision about a key, given the one about its owner. If
// both refuse, the day counts before the minute, and the key before the owner.
func (d Decision) within(owner Decision) Decision {
	d.Minute.Remaining = min(d.Minute.Remaining, owner.Minute.Remaining)
	d.Day.Remaining = min(d.Day.Remaining, owner.Day.Remaining)
	if owner.Exhausted > d.Exhausted {
		d.Allowed, d.ByOwner, d.OwnerWindow = false, true, owner.Window()
		d.Exhausted, d.RetryAfter = owner.Exhausted, owner.RetryAfter
	}
	return d
}

// Counter keeps what each key and each owner has spent. It is safe for concurrent use.
type Counter interface {
	// Take charges one request to both windows of the key and both of its
	// owner, or to none of them if one is exhausted.
	Take(ctx context.Context, keyID string, l Limits, o Owner, now int64) (Decision, error)
	// Look returns what Take would decide, with the windows before the
	// request, and charges nothing.
	Look(ctx context.Context, keyID string, l Limits, o Owner, now int64) (Decision, error)
}

// Spent is what one key or owner has used of both windows, as of one minute. The
// minute determines the day. The zero value has used nothing.
type Spent struct {
	Minute     int64 // minutes since 1970, UTC
	MinuteUsed int   // in that minute
	DayUsed    int   // in that minute's UTC day
}

// At returns s as of now: a window that has ended is empty.
//
// If the clock was set back by at most [MaxAhead] minutes, s stays as it is until
// the clock has caught up, so that no minute opens again. If it was set back by
// more, a new minute begins with the day's count of s: a clock that jumped ahead
// for a while must not lock a key out for as long. A state of more than a day
// ahead is ignored.
func (s Spent) At(now int64) Spent {
	minute := now / minuteMillis
	ahead := s.Minute - minute
	switch {
	case ahead >= 0 && ahead <= MaxAhead:
		return s
	case ahead > 0 && ahead <= minutesPerDay, minute/minutesPerDay == s.Minute/minutesPerDay:
		return Spent{Minute: minute, DayUsed: s.DayUsed}
	}
	return Spent{Minute: minute}
}

// Look decides about a request at now without charging it.
func (s Spent) Look(l Limits, now int64) Decision {
	return s.At(now).decide(l.bounded(), now)
}

// Take decides about a request at now, and returns what is spent after it and
// the decision. A refused request is not charged. It changes s only if s is too
// far ahead: otherwise a day that is used up in the future would be used up
// every day until then.
func (s Spent) Take(l Limits, now int64) (Spent, Decision) { return s.take(l.bounded(), now) }

// take is Take for limits that need no bound.
func (s Spent) take(l Limits, now int64) (Spent, Decision) {
	after := s.At(now)
	d := after.decide(l, now)
	if !d.Allowed {
		if after.Minute < s.Minute {
			return after, d
		}
		return s, d
	}
	after.MinuteUsed++
	after.DayUsed++
	d.Minute.Used++
	d.Minute.Remaining--
	d.Day.Used++
	d.Day.Remaining--
	return after, d
}

// decide is Look for a state of now and limits that need no bound.
func (s Spent) decide(l Limits, now int64) Decision {
	var d Decision
	switch {
	case s.DayUsed >= l.Day:
		d.Exhausted = ExhaustedDay
	case s.MinuteUsed >= l.Minute:
		d.Exhausted = ExhaustedMinute
	default:
		d.Allowed = true
	}
	d.Minute = window(l.Minute, s.MinuteUsed, (s.Minute+1)*minuteMillis)
	d.Day = window(l.Day, s.DayUsed, (s.Minute/minutesPerDay+1)*minutesPerDay*minuteMillis)
	if !d.Allowed {
		d.RetryAfter = int(max(1, (d.Window().ResetAt-now+999)/1000))
	}
	return d
}

// window returns one window. If the limit was lowered below what is used, the
// limit is shown as used.
func window(limit, used int, resetAt int64) Window {
	used = min(used, limit)
	return Window{Limit: limit, Used: used, Remaining: limit - used, ResetAt: resetAt}
}

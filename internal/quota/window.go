package quota

import "context"

// The highest limits that fit a counter's word.
const (
	MaxMinute = 1<<18 - 1 // 262,143 requests a minute
	MaxDay    = 1<<22 - 1 // 4,194,303 requests a day
)

const (
	minuteMillis  = 60_000
	minutesPerDay = 24 * 60
)

// Limits is how many requests a key may make in a minute and in a day. Values
// outside 0..[MaxMinute] and 0..[MaxDay] are taken as the nearest bound.
type Limits struct{ Minute, Day int }

func (l Limits) bounded() Limits {
	return Limits{Minute: min(max(l.Minute, 0), MaxMinute), Day: min(max(l.Day, 0), MaxDay)}
}

// Window is the state of one window after a request. Used + Remaining = Limit.
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

// Decision is the answer to one request: whether it may pass, and both windows
// after it.
type Decision struct {
	Allowed     bool
	Minute, Day Window
	Exhausted   Exhausted
	RetryAfter  int // whole seconds, rounded up, at least 1; 0 if Allowed
}

// Window returns the window a refusal is about: the exhausted one; the minute
// if none is.
func (d Decision) Window() Window {
	if d.Exhausted == ExhaustedDay {
		return d.Day
	}
	return d.Minute
}

// Counter keeps what each key has spent. It may be called from any goroutine.
type Counter interface {
	// Take charges one request to both windows, or, if either is exhausted, to
	// none.
	Take(ctx context.Context, keyID string, l Limits, now int64) (Decision, error)
	// Look returns what Take would decide, with the windows as they stand
	// before it, and charges nothing.
	Look(ctx context.Context, keyID string, l Limits, now int64) (Decision, error)
}

// Spent is what one key has used: both windows, as of one minute. The day
// follows from the minute. The zero value has used nothing.
type Spent struct {
	Minute     int64 // minutes since 1970, UTC
	MinuteUsed int   // in that minute
	DayUsed    int   // in that minute's UTC day
}

// At returns s as it counts at now: a window that has ended is empty.
//
// A clock set back opens no window again: s then stays as it is, until the
// clock has caught up. Only a state more than a day ahead is not believed, or
// a clock that once ran years ahead would lock a key out for years.
func (s Spent) At(now int64) Spent {
	minute := now / minuteMillis
	switch {
	case minute == s.Minute, minute < s.Minute && s.Minute-minute <= minutesPerDay:
		return s
	case minute/minutesPerDay == s.Minute/minutesPerDay:
		return Spent{Minute: minute, DayUsed: s.DayUsed}
	}
	return Spent{Minute: minute}
}

// Look decides about a request at now without charging it.
func (s Spent) Look(l Limits, now int64) Decision {
	return s.At(now).look(l.bounded(), now)
}

// Take decides about a request at now and returns what is spent after it. A
// refused request changes nothing.
func (s Spent) Take(l Limits, now int64) (Spent, Decision) {
	after := s.At(now)
	d := after.look(l.bounded(), now)
	if !d.Allowed {
		return s, d
	}
	after.MinuteUsed++
	after.DayUsed++
	d.Minute.charge()
	d.Day.charge()
	return after, d
}

// look is Look for a state of now and bounded limits.
func (s Spent) look(l Limits, now int64) Decision {
	d := Decision{Exhausted: s.exhausted(l)}
	d.Allowed = d.Exhausted == ExhaustedNone
	d.Minute = window(l.Minute, s.MinuteUsed, (s.Minute+1)*minuteMillis)
	d.Day = window(l.Day, s.DayUsed, (s.Minute/minutesPerDay+1)*minutesPerDay*minuteMillis)
	if !d.Allowed {
		d.RetryAfter = int(max(1, (d.Window().ResetAt-now+999)/1000))
	}
	return d
}

func (s Spent) exhausted(l Limits) Exhausted {
	switch {
	case s.DayUsed >= l.Day:
		return ExhaustedDay
	case s.MinuteUsed >= l.Minute:
		return ExhaustedMinute
	}
	return ExhaustedNone
}

// window describes one window. Where a limit was lowered below what is used
// already, used is shown as the limit.
func window(limit, used int, resetAt int64) Window {
	used = min(used, limit)
	return Window{Limit: limit, Used: used, Remaining: limit - used, ResetAt: resetAt}
}

// charge takes one request from a window that is not exhausted.
func (w *Window) charge() {
	w.Used++
	w.Remaining--
}

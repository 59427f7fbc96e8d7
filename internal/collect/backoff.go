package collect

import (
	"context"
	"errors"
	"time"

	"gamedex/internal/lease"
	"gamedex/internal/upstream"
)

// How long a scope rests after a failure.
const (
	firstWait    = 10 * time.Second // doubled with each failure in a row
	longestWait  = 30 * time.Minute
	outdatedWait = time.Hour // a person has to update the profile
	stopWait     = time.Hour // where a stop does not say how long
	spread       = 0.05      // of an interval, to either side
)

// fail notes a failed run: when the scope is due again, that its sweep failed,
// and what it means for the whole platform.
func (r *run) fail(ctx context.Context, err error) {
	now := r.millis()
	r.lease.DueAt = int64(now + millisOf(r.waitAfter(err, r.lease.Attempts)))
	if up, ok := errors.AsType[*upstream.Error](err); ok && up.Kind == upstream.Stopped {
		r.stopPlatform(ctx, up)
	}
	if r.state.Began == 0 {
		return
	}
	r.carry()
	if r.job.Scope.Kind.Paged() && ownFault(err) { // other pages may do better
		r.remember(func(m *memory) {
			if m.stuckAt != r.state.Cursor {
				m.stuckAt, m.stuck = r.state.Cursor, 0
			}
			m.stuck++
		})
	}
	if err := r.cfg.Database.FailSweep(ctx, *r.lease, r.job.Scope); err != nil && !errors.Is(err, lease.ErrLost) {
		r.cfg.Log.Warn("failed sweep could not be noted", "scope", r.job.Scope.String(), "error", err)
	}
}

// waitAfter is how long a scope rests after the failure that follows so many
// others. The wait is drawn anew each time, so that scopes that failed together
// do not come back together.
func (c *Collector) waitAfter(err error, attempts int) time.Duration {
	up, ok := errors.AsType[*upstream.Error](err)
	switch {
	case ok && up.Kind == upstream.Outdated:
		return outdatedWait
	case ok && up.Kind == upstream.Stopped:
		return c.stopDuration(up)
	}
	longest := longestWait
	if attempts < 8 { // beyond, doubling passes the longest wait
		longest = min(longestWait, firstWait<<attempts)
	}
	wait := max(time.Second, time.Duration(c.cfg.Rand()*float64(longest)))
	if ok && !up.Until.IsZero() {
		wait = max(wait, up.Until.Sub(c.cfg.Now()))
	}
	return wait
}

func (c *Collector) stopDuration(up *upstream.Error) time.Duration {
	if up.Until.IsZero() {
		return stopWait
	}
	return max(0, up.Until.Sub(c.cfg.Now()))
}

// stopPlatform makes every process leave the store alone.
func (r *run) stopPlatform(ctx context.Context, up *upstream.Error) {
	platform := r.job.Scope.Platform
	until := r.millis() + millisOf(r.stopDuration(up))
	reason := up.Kind.String()
	if up.Err != nil {
		reason = up.Err.Error()
	}
	collections, err := r.cfg.Database.Collections(ctx)
	for _, c := range collections {
		if c.Platform == platform && c.StoppedUntil >= until {
			return // stopped for longer already
		}
	}
	if err == nil {
		err = r.cfg.Database.StopCollection(ctx, platform, until, reason)
	}
	if err != nil {
		r.cfg.Log.Warn("stop of a store could not be noted", "platform", platform, "error", err)
	}
}

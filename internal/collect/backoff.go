package collect

import (
	"context"
	"errors"
	"time"

	"gamedex/internal/lease"
	"gamedex/internal/upstream"
)

// How long a scope waits after a failure.
const (
	firstWait    = 10 * time.Second // doubled with each failure in a row
	longestWait  = 30 * time.Minute
	outdatedWait = time.Hour // somebody has to update the profile
	stopWait     = time.Hour // for a stop without a duration
	spread       = 0.05      // share of an interval, to either side
)

// fail records a failed run: when the scope is due again, that its sweep failed,
// and whether the whole platform is stopped.
func (r *run) fail(ctx context.Context, err error) {
	now := r.millis()
	r.lease.DueAt = int64(now + millisOf(r.waitAfter(err, r.lease.Attempts)))
	if up, ok := errors.AsType[*upstream.Error](err); ok && up.Kind == upstream.Stopped {
		r.stopPlatform(ctx, up)
	}
	if r.state.Began == 0 {
		return
	}
	r.keepSummary()
	if r.job.Scope.Kind.Paged() && ownFault(err) { // other pages may be readable
		r.remember(func(m *memory) {
			if m.stuckAt != r.state.Cursor {
				m.stuckAt, m.stuck = r.state.Cursor, 0
			}
			m.stuck++
		})
	}
	if err := r.cfg.Database.FailSweep(ctx, *r.lease, r.job.Scope); err != nil && !errors.Is(err, lease.ErrLost) {
		r.cfg.Log.Warn("cannot record a failed sweep", "scope", r.job.Scope.String(), "error", err)
	}
}

// waitAfter returns how long a scope waits after a failure that follows the given
// number of failed attempts. The wait is random, so that scopes that failed
// together do not retry together.
func (c *Collector) waitAfter(err error, attempts int) time.Duration {
	up, ok := errors.AsType[*upstream.Error](err)
	switch {
	case ok && up.Kind == upstream.Outdated:
		return outdatedWait
	case ok && up.Kind == upstream.Stopped:
		return c.stopDuration(up)
	}
	longest := longestWait
	if attempts < 8 { // from 8 on, doubling exceeds the longest wait
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

// stopPlatform makes every process stop its requests to the store.
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
			return // already stopped for longer
		}
	}
	if err == nil {
		err = r.cfg.Database.StopCollection(ctx, platform, until, reason)
	}
	if err != nil {
		r.cfg.Log.Warn("cannot record the stop of a store", "platform", platform, "error", err)
	}
}

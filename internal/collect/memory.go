package collect

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/upstream"
)

// memory is what a process remembers of a scope from run to run. If it is lost, a
// log line is repeated or an item is tried once more.
type memory struct {
	logged         string         // last logged failure
	outdatedLogged time.Time      // when an outdated profile was last logged
	began          catalog.Millis // of the sweep that sum belongs to
	sum            Summary        // of its runs so far
	failures       map[string]int // in a row, by item
	held           bool           // the last sweep was held back
	stuckAt        string         // cursor of the last page that could not be read
	stuck          int            // failures of that page in a row
}

const (
	outdatedEvery  = time.Hour
	maxFailedItems = 10_000 // remembered for one scope
)

// remember runs fn on the memory of the run's scope.
func (r *run) remember(fn func(m *memory)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.memory[r.job.Scope]
	if m == nil {
		m = &memory{failures: make(map[string]int)}
		r.memory[r.job.Scope] = m
	}
	fn(m)
}

// keepSummary keeps the counts of a sweep that continues in another run.
func (r *run) keepSummary() {
	r.remember(func(m *memory) { m.began, m.sum = r.state.Began, r.sum })
}

func (r *run) forgetFailures(id string) {
	r.remember(func(m *memory) { delete(m.failures, id) })
}

// maxFailuresOfPage is how many times a page is tried before the sweep starts
// again from the first page. If the page is never readable, the pages before it
// must still be kept up to date.
const maxFailuresOfPage = 3

// isStuck reports whether the next page of the sweep under way cannot be read.
func (r *run) isStuck() (stuck bool) {
	if r.state.Began == 0 || r.state.Cursor == "" {
		return false
	}
	r.remember(func(m *memory) { stuck = m.stuck >= maxFailuresOfPage && m.stuckAt == r.state.Cursor })
	return stuck
}

// report logs a line for each finished sweep. It logs a failure, and that nothing
// was withdrawn, only when that is new.
func (r *run) report(outcome Outcome) {
	log := r.cfg.Log.With("scope", r.job.Scope.String())
	switch outcome {
	case Swept:
		r.logRecovery(log)
		r.logSweep(log)
	case Failed:
		r.logFailure(log)
	case Read, GaveWay:
		r.logRecovery(log)
		if r.sum.HeldBack > 0 {
			r.logHeldBack(log)
		}
		log.Debug("scope read", "outcome", outcome, "requests", r.sum.Requests, "parts", r.sum.Parts, "took", r.sum.Took)
	case Ended:
		log.Debug("run ended early", "error", r.sum.Err)
	}
}

// logSweep logs a complete sweep. Requests, parts and doubtful prices are those of
// all processes; the other counts are those of this process.
func (r *run) logSweep(log *slog.Logger) {
	s, sum := r.state, r.sum
	attrs := []any{
		"requests", s.Requests, "parts", s.Parts, "new", sum.Saved.New, "changed", sum.Saved.Changed,
		"withdrawn", sum.Withdrawn, "heldBack", sum.HeldBack, "doubtful", s.Doubtful, "incomplete", sum.Incomplete,
		"interrupted", s.Interrupted, "took", (time.Duration(r.at()-s.Began) * time.Millisecond).String(),
	}
	if sum.Rejected > 0 {
		attrs = append(attrs, "rejected", sum.Rejected, "firstRejected", sum.FirstRejected)
	}
	log.Info("sweep complete", attrs...)
	r.logHeldBack(log)
}

// logHeldBack warns once of a scope that is held back.
func (r *run) logHeldBack(log *slog.Logger) {
	held, news := r.sum.HeldBack > 0, false
	r.remember(func(m *memory) { news, m.held = held && !m.held, held })
	if news {
		log.Warn("held back: nothing was withdrawn and no price removed, because more than 10% of this scope's listings or prices are missing from the store; "+
			"if they are really gone, run collect once --force", "heldBack", r.sum.HeldBack)
	}
}

func (r *run) logRecovery(log *slog.Logger) {
	var logged string
	r.remember(func(m *memory) { logged, m.logged, m.outdatedLogged = m.logged, "", time.Time{} })
	if logged != "" {
		log.Info("scope is read again", "lastFailure", logged)
	}
}

func (r *run) logFailure(log *slog.Logger) {
	err := r.sum.Err
	if bug, ok := errors.AsType[*panicked](err); ok {
		log.Error("scope failed: bug in the connector", "error", err, "stack", string(bug.stack))
		return
	}
	up, ok := errors.AsType[*upstream.Error](err)
	outdated := ok && up.Kind == upstream.Outdated
	news := false
	r.remember(func(m *memory) {
		if outdated {
			news = r.cfg.Now().Sub(m.outdatedLogged) >= outdatedEvery
		} else {
			news = m.logged != withoutTime(err)
		}
		if news && outdated {
			m.outdatedLogged = r.cfg.Now()
		}
		m.logged = withoutTime(err)
	})
	switch {
	case news && outdated:
		log.Error("profile outdated: the store no longer knows an operation; nothing is collected here until the profile is updated", "error", err)
	case news:
		log.Warn("scope failed; it will be tried again", "error", err)
	}
}

// withoutTime returns the text of a failure without its end time, which changes.
func withoutTime(err error) string {
	if up, ok := errors.AsType[*upstream.Error](err); ok {
		text := up.Kind.String() + " " + up.URL
		if up.Err != nil {
			text += " " + up.Err.Error()
		}
		return text
	}
	return err.Error()
}

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
	c, err := r.collection(ctx, platform)
	if err == nil && c.StoppedUntil < until { // else it is already stopped for longer
		err = r.cfg.Database.StopCollection(ctx, platform, until, reason)
	}
	if err != nil {
		r.cfg.Log.Warn("cannot record the stop of a store", "platform", platform, "error", err)
	}
}

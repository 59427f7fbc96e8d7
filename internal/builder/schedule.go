package builder

import (
	"time"

	"gamedex/internal/publish"
)

// The times that decide when a build starts.
const (
	quiet       = 250 * time.Millisecond // after the last change
	restFactor  = 9                      // times the duration of the last build, after its end
	longestWait = 60 * time.Second       // from the first unpublished change
)

// pending describes the changes that are not published yet.
type pending struct {
	first   time.Time // when the oldest of them was noticed
	last    time.Time // when the generation last moved
	loading bool      // an import is running
	inputs  publish.Inputs
}

// noticed returns p updated with the current inputs; p is nil at the first change.
func (p *pending) noticed(inputs publish.Inputs, loading bool, now time.Time) *pending {
	if p == nil {
		p = &pending{first: now, last: now, inputs: inputs}
	}
	if !p.inputs.Equal(inputs) {
		p.last, p.inputs = now, inputs
	}
	p.loading = loading
	return p
}

// startAt returns when to build: after a short time without changes, and after a rest
// of nine times the duration of the last build, so that builds take at most a tenth of
// the time. It is at most a minute after the change; while an import runs, it is that
// minute.
func startAt(p pending, lastEnd time.Time, lastTook time.Duration) time.Time {
	latest := p.first.Add(longestWait)
	if p.loading {
		return latest
	}
	start := p.last.Add(quiet)
	if rested := lastEnd.Add(restFactor * lastTook); rested.After(start) {
		start = rested
	}
	if start.After(latest) {
		return latest
	}
	return start
}

// nextLook returns how long the builder may sleep before it checks the inputs again: not
// past the time when it may build what is pending.
func nextLook(p *pending, now, lastEnd time.Time, lastTook time.Duration) time.Duration {
	if p == nil {
		return lookEvery
	}
	return min(lookEvery, max(startAt(*p, lastEnd, lastTook).Sub(now), shortestLook))
}

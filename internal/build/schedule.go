package build

import (
	"time"

	"gamedex/internal/publish"
)

// The times that decide when a build starts.
const (
	quiet       = 250 * time.Millisecond // after the last change
	restFactor  = 9                      // times the last build's duration, after it ended
	longestWait = 60 * time.Second       // from the first unpublished change
)

// pending is what the schedule knows of changes that are not published yet.
type pending struct {
	first   time.Time // when the oldest of them was noticed
	last    time.Time // when the generation last moved
	loading bool      // an import is running
	inputs  publish.Inputs
}

// noticed returns p after another look; p is nil at the first change.
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

// startAt returns when to build: when the database has been quiet for a moment
// and the last build is nine times its duration ago, so that builds take at most
// a tenth of the time, but not later than a minute after the change. While an
// import runs it waits for that minute.
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

package collect

import (
	"context"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/sweep"
)

const (
	maxListings  = 2000 // that the database takes in one step
	pricesAtOnce = 300  // products that it is asked about at once
)

func (r *run) newStep(at catalog.Millis) *sweep.Step {
	return &sweep.Step{Scope: r.job.Scope, Regions: r.job.Regions, At: at, Cursor: r.state.Cursor}
}

// addPage adds what one read returned to a step.
func addPage(s *sweep.Step, page sweep.Page) {
	s.Parts = append(s.Parts, page.Parts...)
	s.Present = append(s.Present, page.Present...)
	s.Items = append(s.Items, page.Items...)
	s.Interrupted = s.Interrupted || page.Interrupted
	s.Requests += page.Requests
}

// save stores a step, in several pieces if it is too large for one; only the
// last moves the cursor and marks items as read.
func (r *run) save(ctx context.Context, s *sweep.Step) error {
	if err := r.judge(ctx, s); err != nil {
		return err
	}
	for len(s.Parts)+len(s.Doubts) > maxListings {
		piece := r.newStep(s.At)
		n := min(len(s.Parts), maxListings)
		piece.Parts, s.Parts = s.Parts[:n], s.Parts[n:]
		n = min(len(s.Doubts), maxListings-n)
		piece.Doubts, s.Doubts = s.Doubts[:n], s.Doubts[n:]
		if err := r.saveStep(ctx, piece); err != nil {
			return err
		}
	}
	return r.saveStep(ctx, s)
}

func (r *run) saveStep(ctx context.Context, s *sweep.Step) error {
	now := r.millis()
	counts, err := r.cfg.Database.SaveStep(ctx, *r.lease, *s, func(l *catalog.Listing) error {
		return feed.Check(l, now)
	})
	if err != nil {
		return err
	}
	r.state.Cursor, r.state.Interrupted = s.Cursor, r.state.Interrupted || s.Interrupted
	r.state.Requests += s.Requests
	r.state.Parts += len(s.Parts)
	r.state.Doubtful += counts.Doubtful
	r.sum.Requests += s.Requests
	r.sum.Parts += len(s.Parts)
	r.sum.StepCounts = r.sum.StepCounts.Add(counts)
	return r.liftStop(ctx)
}

// liftStop ends a stop whose time is over: the store has answered again.
func (r *run) liftStop(ctx context.Context) error {
	if !r.stopped || !r.answered {
		return nil
	}
	r.stopped = false
	platform := r.job.Scope.Platform
	collections, err := r.cfg.Database.Collections(ctx)
	if err != nil {
		return err
	}
	now := r.millis()
	for _, c := range collections {
		if c.Platform == platform && c.StoppedUntil != 0 && c.StoppedUntil <= now {
			r.cfg.Log.Info("store answers again", "platform", platform)
			return r.cfg.Database.StopCollection(ctx, platform, 0, "")
		}
	}
	return nil
}

package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/lease"
	"gamedex/internal/sweep"
)

// How long a run goes on before it looks for something more urgent. Items are
// read in shorter slices: they wait for nothing but their turn.
const (
	pageSlice = 30 * time.Second
	itemSlice = 10 * time.Second
)

// run is one stay with a scope, from the claim of its lease to the release. A
// sweep may take several.
type run struct {
	*Collector
	source *source
	job    sweep.Job
	class  int           // gives way to lower ones; pricesClass never does
	slice  time.Duration // before it does; zero: as its kind
	anew   bool          // begins a sweep whatever is under way or not due
	force  bool          // withdraws however many there are
	tell   func(done int)

	lease    *lease.Lease
	state    sweep.State // as this run leaves it
	stopped  bool        // the platform was stopped when the run began
	answered bool        // the store has answered
	looked   time.Time   // when it last looked for something more urgent
	gaveWay  bool
	finished bool // the sweep has ended
	empty    bool // no item was ever named: there is nothing to sweep yet
	done     int  // parts of pages, or items: read or tried
	expected int  // what done will be at the end; zero: not known
	sum      Summary
}

// Summary is what one run did, or one sweep as far as this process made it.
type Summary struct {
	Scope sweep.Scope
	// Requests that were answered, and the parts of listings they brought.
	Requests, Parts int
	sweep.StepCounts
	Withdrawn   int
	HeldBack    int  // too many to be withdrawn at once: none was
	Interrupted bool // something may have been missed: nothing was withdrawn
	Took        time.Duration
	Err         error
}

// Outcome is how a run ended.
type Outcome string

// The outcomes.
const (
	Swept   Outcome = "swept"    // a sweep is complete
	Read    Outcome = "read"     // items that were due are read; no sweep was
	GaveWay Outcome = "gave way" // to something more urgent; it goes on later
	Failed  Outcome = "failed"
	Ended   Outcome = "ended" // the process stops, or another took the scope over
)

// Event is a run that ended.
type Event struct {
	Outcome Outcome
	Summary Summary
}

func (c *Collector) newRun(s *source, job sweep.Job, class int) *run {
	return &run{Collector: c, source: s, job: job, class: class, tell: func(int) {}, sum: Summary{Scope: job.Scope}}
}

// hold runs while it holds the scope's lease; ran is false if somebody else
// does, or the scope is not due.
func (r *run) hold(ctx context.Context) (ran bool, err error) {
	began := r.cfg.Now()
	outcome := Ended
	ran, err = r.cfg.Leases.Hold(ctx, "collect/"+r.job.Scope.String(), func(ctx context.Context, l *lease.Lease) error {
		r.lease, r.looked = l, began
		var err error
		func() {
			defer recoverPanic(&err)
			err = r.work(ctx)
		}()
		outcome = r.settle(ctx, err)
		return err
	})
	if !ran {
		return false, err
	}
	r.sum.Took, r.sum.Err = r.cfg.Now().Sub(began), err
	r.report(outcome)
	r.cfg.Observe(Event{outcome, r.sum})
	return true, err
}

// panicked is what a connector's bug becomes.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// recoverPanic turns a panic into an error; it must be deferred.
func recoverPanic(err *error) {
	if value := recover(); value != nil {
		*err = &panicked{value, debug.Stack()}
	}
}

// work reads until the sweep is complete, or the due items are read, or
// something more urgent is due.
func (r *run) work(ctx context.Context) error {
	known, err := r.load(ctx)
	if err != nil || !known {
		return err
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	if r.job.Scope.Kind.Paged() {
		err = r.readPages(ctx)
	} else {
		err = r.readItems(ctx)
	}
	if err != nil || r.gaveWay || r.state.Began == 0 {
		return err
	}
	end, err := r.cfg.Database.FinishSweep(ctx, *r.lease, r.job.Scope, r.at(), r.force)
	if err != nil {
		return err
	}
	r.finished = true
	r.sum.Withdrawn, r.sum.HeldBack, r.sum.Interrupted = end.Withdrawn, end.HeldBack, r.state.Interrupted
	return nil
}

// load reads how the scope stands now that nobody else changes it. It is not
// known if collection was switched off, or registered otherwise,
// meanwhile.
func (r *run) load(ctx context.Context) (known bool, err error) {
	plan, err := r.freshPlan(ctx)
	if err != nil {
		return false, err
	}
	for _, p := range plan {
		if p.State.Scope == r.job.Scope && r.source.owns(&p.State) {
			r.state = p.State
			r.mu.Lock()
			defer r.mu.Unlock()
			r.stopped = r.stops[p.State.Scope.Platform] != 0
			return true, nil
		}
	}
	return false, nil
}

// begin begins a sweep, unless one is under way or only items are due.
func (r *run) begin(ctx context.Context) error {
	items := !r.job.Scope.Kind.Paged()
	r.empty = items && r.state.Completed == 0 && r.state.Began == 0 && r.state.Pending == 0
	switch {
	case r.anew, r.isStuck():
	case r.empty:
		return nil
	case r.state.Began != 0, items && r.millis() < r.nextSweep():
		r.remember(func(m *memory) { // this process's earlier runs on the same sweep
			if r.state.Began != 0 && m.began == r.state.Began {
				r.sum = m.sum
			}
		})
		return nil
	}
	r.expected = r.state.Parts
	if err := r.cfg.Database.BeginSweep(ctx, *r.lease, r.job.Scope, r.millis()); err != nil {
		return err
	}
	if _, err := r.load(ctx); err != nil {
		return err
	}
	if items {
		r.expected = r.state.Pending
	}
	return nil
}

// readPages goes from page to page. What a page shows is as old as its request.
func (r *run) readPages(ctx context.Context) error {
	for {
		at, from := r.at(), r.state.Cursor
		page, err := r.source.Read(ctx, r.job, from)
		if err != nil {
			return err // says what was read
		}
		if page.Next != "" && page.Next == from {
			return fmt.Errorf("read %s: page %q is followed by itself", r.job.Scope, from)
		}
		r.answered = true
		step := r.newStep(at)
		addPage(step, page)
		step.Cursor = page.Next
		if err := r.save(ctx, step); err != nil {
			return err
		}
		r.done += len(page.Parts)
		r.tell(r.done)
		if page.Next == "" {
			return nil
		}
		if r.gaveWay = r.mustGiveWay(ctx, cmp.Or(r.slice, pageSlice)); r.gaveWay {
			return nil
		}
	}
}

// mustGiveWay looks, once a slice, whether something more urgent is due that
// nobody runs.
func (r *run) mustGiveWay(ctx context.Context, slice time.Duration) bool {
	if now := r.cfg.Now(); r.class <= pricesClass || now.Sub(r.looked) < slice {
		return false
	}
	r.looked = r.cfg.Now()
	plan, err := r.freshPlan(ctx)
	if err != nil {
		return false // the next step will say so
	}
	now := r.millis()
	for _, p := range plan {
		if r.source.owns(&p.State) && !p.Running && p.At <= now && p.Class < r.class {
			return true
		}
	}
	return false
}

// at is now, though never before the sweep began: a clock that is set back must
// not make what is read look older than that.
func (r *run) at() catalog.Millis { return max(r.millis(), r.state.Began) }

// nextSweep is when the next sweep is due. The lease's due time may be earlier,
// for single items, so it stands in the lease's cursor.
func (r *run) nextSweep() catalog.Millis {
	at, err := strconv.ParseInt(r.lease.Cursor, 10, 64)
	if err != nil || catalog.Millis(at) > latestDue(&r.state, r.millis()) {
		return 0 // never swept, or by a clock that was ahead
	}
	return catalog.Millis(at)
}

// settle decides, while the lease is still held, when the scope is due again.
func (r *run) settle(ctx context.Context, err error) Outcome {
	switch {
	case ctx.Err() != nil || errors.Is(err, lease.ErrLost):
		return Ended // whoever goes on goes on at once
	case err != nil:
		r.fail(ctx, err)
		return Failed
	case r.gaveWay:
		r.lease.DueAt = int64(r.millis())
		r.carry()
		return GaveWay
	}
	outcome, next := Read, max(r.nextSweep(), r.millis())
	switch {
	case r.finished:
		r.remember(func(m *memory) { m.stuck = 0 })
		// A little shorter or longer, so that scopes that began together drift apart.
		jitter := (2*r.cfg.Rand() - 1) * spread * float64(r.state.Interval)
		outcome, next = Swept, r.state.Began+r.state.Interval+catalog.Millis(jitter)
		r.lease.Cursor = strconv.FormatInt(int64(next), 10)
	case r.empty:
		next = r.millis() + r.state.Interval
	}
	r.lease.DueAt = int64(next) // earlier, if an item is due: the release sees to that
	return outcome
}

const (
	maxListings  = 2000 // that the database takes in one step
	pricesAtOnce = 300  // products in one query
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
	if !r.stopped || !r.answered {
		return nil
	}
	// The store has answered again: end a stop whose time is over.
	r.stopped = false
	platform := r.job.Scope.Platform
	collections, err := r.cfg.Database.Collections(ctx)
	if err != nil {
		return err
	}
	for _, c := range collections {
		if c.Platform == platform && c.StoppedUntil != 0 && c.StoppedUntil <= now {
			r.cfg.Log.Info("store answers again", "platform", platform)
			return r.cfg.Database.StopCollection(ctx, platform, 0, "")
		}
	}
	return nil
}

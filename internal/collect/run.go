package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strconv"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// How long a run continues before it looks for a more urgent scope. Items have
// shorter slices, because a run can stop between any two of them.
const (
	pageSlice = 30 * time.Second
	itemSlice = 10 * time.Second
)

// run is the work on a scope from the claim of its lease to the release. A sweep
// may take several runs.
type run struct {
	*Collector
	source *source
	job    sweep.Job
	class  int           // gives way to lower ones; pricesClass never does
	slice  time.Duration // how long before it gives way; zero: the default of its kind

	restart    bool // begin a new sweep even if one is under way or none is due
	force      bool // withdraw any number of listings
	onProgress func(done int)

	lease     *lease.Lease
	state     sweep.State // updated by this run
	stopped   bool        // the platform was stopped when the run began
	answered  bool        // the store has answered
	lastCheck time.Time   // when it last looked for a more urgent scope
	unread    error       // of the last item that could not be read
	gaveWay   bool
	finished  bool // the sweep has ended
	empty     bool // no item was ever named, so there is nothing to sweep yet
	done      int  // parts read from pages, or items read or tried
	expected  int  // value of done at the end; zero: not known
	sum       Summary
}

// Summary is the result of one run, or of this process's runs of one sweep.
type Summary struct {
	Scope sweep.Scope
	// Requests counts answered requests, Parts the parts of listings in the answers.
	Requests, Parts int
	sweep.BatchCounts
	Withdrawn   int
	HeldBack    int  // too many at once, so none was withdrawn and no price removed
	Interrupted bool // something may have been missed, so nothing was withdrawn
	Took        time.Duration
	Err         error
}

// Outcome is how a run ended.
type Outcome string

// The outcomes.
const (
	Swept   Outcome = "swept"    // a sweep is complete
	Read    Outcome = "read"     // due items were read without a sweep
	GaveWay Outcome = "gave way" // to a more urgent scope; it continues later
	Failed  Outcome = "failed"
	Ended   Outcome = "ended" // the process stops, or another process took over the scope
)

// Event is a run that ended.
type Event struct {
	Outcome Outcome
	Summary Summary
}

func (c *Collector) newRun(s *source, job sweep.Job, class int) *run {
	return &run{Collector: c, source: s, job: job, class: class, onProgress: func(int) {}, sum: Summary{Scope: job.Scope}}
}

// hold claims the scope's lease and runs while it holds it. ran is false if another
// process holds the lease, or the scope is not due.
func (r *run) hold(ctx context.Context) (ran bool, err error) {
	began := r.cfg.Now()
	outcome := Ended
	ran, err = r.cfg.Leases.Hold(ctx, "collect/"+r.job.Scope.String(), func(ctx context.Context, l *lease.Lease) error {
		r.lease, r.lastCheck = l, began
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

// panicked is the error for a panic of a connector.
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

// work reads until the sweep is complete, the due items are read, or a more urgent
// scope is due.
func (r *run) work(ctx context.Context) error {
	known, err := r.load(ctx)
	if err != nil || !known {
		return err
	}
	// An item that was named since then makes the scope due when its lease is released,
	// and the next run begins a sweep.
	if err := r.begin(ctx); err != nil || r.empty {
		return err
	}
	if r.job.Scope.Kind.Paged() {
		err = r.readPages(ctx)
	} else {
		err = r.readItems(ctx)
	}
	if err != nil || r.gaveWay {
		return err
	}
	if r.state.Began == 0 { // only due items were read
		r.sum.HeldBack, err = r.cfg.Database.SettlePrices(ctx, *r.lease, r.job.Scope)
		return err
	}
	if r.unread != nil && r.state.Requests == 0 {
		return fmt.Errorf("none of the items can be read, the last one %w", r.unread)
	}
	if err := r.findMissing(ctx); err != nil {
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

// load reads the state of the scope, which nobody else changes while the lease is
// held. known is false if collection has been switched off or registered
// differently since.
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
	r.empty = items && !r.restart && r.state.Completed == 0 && r.state.Began == 0 && r.state.Pending == 0
	switch {
	case r.restart, r.isStuck(), items && r.state.Failed && r.state.Requests == 0 && r.state.Began != 0:
	case r.empty:
		return nil
	case r.state.Began != 0, items && r.millis() < r.nextSweep():
		r.remember(func(m *memory) { // this process's earlier runs of the same sweep
			if r.state.Began != 0 && m.began == r.state.Began {
				r.sum = m.sum
			}
		})
		return nil
	}
	r.expected = r.state.Parts
	err := r.cfg.Database.BeginSweep(ctx, *r.lease, r.job.Scope, r.millis())
	if err == nil {
		_, err = r.load(ctx)
	}
	if err != nil || !items || !r.restart {
		return err
	}
	// By hand, somebody watches the progress: count the items that the sweep will read.
	sweeps, err := r.cfg.Database.Sweeps(ctx, r.millis(), math.MaxInt32)
	for _, s := range sweeps {
		if s.Scope == r.job.Scope {
			r.expected = s.Pending
		}
	}
	return err
}

// readPages reads page after page. Each page is dated by the start of its request.
func (r *run) readPages(ctx context.Context) error {
	for {
		at, from := r.at(), r.state.Cursor
		page, err := r.source.Read(ctx, r.job, from)
		if err != nil {
			r.countFailed(err)
			return err // it already names what was read
		}
		if page.Next != "" && page.Next == from {
			return fmt.Errorf("read %s: the page after %q is the same page", r.job.Scope, from)
		}
		r.answered = true
		batch := r.newBatch(at)
		addPage(batch, page)
		batch.Cursor = page.Next
		if err := r.save(ctx, batch); err != nil {
			return err
		}
		r.done += len(page.Parts)
		r.onProgress(r.done)
		if page.Next == "" {
			return nil
		}
		if r.gaveWay = r.mustGiveWay(ctx, cmp.Or(r.slice, pageSlice)); r.gaveWay {
			return nil
		}
	}
}

// countFailed counts a request whose answer was of no use. The state of the sweep counts only
// the others.
func (r *run) countFailed(err error) {
	if up, ok := errors.AsType[*upstream.Error](err); ok && (up.Status != 0 || up.Kind == upstream.Broken || up.Kind == upstream.Outdated || up.Kind == upstream.NotFound) {
		r.sum.Requests++
	}
}

// mustGiveWay reports whether a more urgent scope is due that no process runs. It
// checks once per slice.
func (r *run) mustGiveWay(ctx context.Context, slice time.Duration) bool {
	if now := r.cfg.Now(); r.class <= pricesClass || now.Sub(r.lastCheck) < slice {
		return false
	}
	r.lastCheck = r.cfg.Now()
	plan, err := r.freshPlan(ctx)
	if err != nil {
		return false // the next batch fails with it too
	}
	now := r.millis()
	for _, p := range plan {
		if r.source.owns(&p.State) && !p.Running && p.At <= now && p.Class < r.class {
			return true
		}
	}
	return false
}

// at returns the present time, but not a time before the sweep began: a clock that
// was set back must not make the listings look older than the sweep.
func (r *run) at() catalog.Millis { return max(r.millis(), r.state.Began) }

// nextSweep returns when the next sweep is due. It is stored in the lease's cursor,
// because the lease's due time may be earlier for single items.
func (r *run) nextSweep() catalog.Millis {
	at, err := strconv.ParseInt(r.lease.Cursor, 10, 64)
	if err != nil || catalog.Millis(at) > latestDue(&r.state, r.millis()) {
		return 0 // never swept, or planned by a clock that was ahead
	}
	return catalog.Millis(at)
}

// settle sets, while the lease is still held, when the scope is due again, and
// returns the outcome of the run.
func (r *run) settle(ctx context.Context, err error) Outcome {
	switch {
	case ctx.Err() != nil || errors.Is(err, lease.ErrLost):
		return Ended // another process may continue at once
	case err != nil:
		r.fail(ctx, err)
		return Failed
	case r.gaveWay:
		r.lease.DueAt = int64(r.millis())
		r.keepSummary()
		return GaveWay
	}
	outcome, next := Read, max(r.nextSweep(), r.millis())
	switch {
	case r.finished:
		r.remember(func(m *memory) { m.stuck = 0 })
		// Vary the interval a little, so that scopes that began together drift apart.
		jitter := (2*r.cfg.Rand() - 1) * spread * float64(r.state.Interval)
		outcome, next = Swept, r.state.Began+r.state.Interval+catalog.Millis(jitter)
		r.lease.Cursor = strconv.FormatInt(int64(next), 10)
	case r.empty:
		next = r.millis() + r.state.Interval
	}
	r.lease.DueAt = int64(next) // the release makes it earlier if an item is due
	return outcome
}

const maxListings = 2000 // in one batch

func (r *run) newBatch(at catalog.Millis) *sweep.Batch {
	return &sweep.Batch{Scope: r.job.Scope, Regions: r.job.Regions, At: at, Cursor: r.state.Cursor}
}

// addPage adds a page to a batch.
func addPage(s *sweep.Batch, page sweep.Page) {
	s.Parts = append(s.Parts, page.Parts...)
	s.Present = append(s.Present, page.Present...)
	s.Items = append(s.Items, page.Items...)
	s.Interrupted = s.Interrupted || page.Interrupted
	s.Requests += page.Requests
}

// save stores a batch, in several transactions if it is too large; only the last one
// moves the cursor and marks items as read.
func (r *run) save(ctx context.Context, s *sweep.Batch) error {
	for len(s.Parts) > maxListings {
		first := r.newBatch(s.At)
		first.Parts, s.Parts = s.Parts[:maxListings], s.Parts[maxListings:]
		if err := r.saveBatch(ctx, first); err != nil {
			return err
		}
	}
	return r.saveBatch(ctx, s)
}

func (r *run) saveBatch(ctx context.Context, s *sweep.Batch) error {
	rules, err := r.rules(ctx, s)
	if err != nil {
		return err
	}
	counts, err := r.cfg.Database.SaveBatch(ctx, *r.lease, *s, rules)
	if err != nil {
		return err
	}
	r.state.Cursor, r.state.Interrupted = s.Cursor, r.state.Interrupted || s.Interrupted
	r.state.Requests += s.Requests
	r.state.Parts += len(s.Parts)
	r.state.Doubtful += counts.Doubtful
	r.sum.Requests += s.Requests
	r.sum.Parts += len(s.Parts)
	r.sum.BatchCounts = r.sum.BatchCounts.Add(counts)
	if !r.stopped || !r.answered {
		return nil
	}
	// The store has answered again: end a stop that has expired.
	r.stopped = false
	platform := r.job.Scope.Platform
	c, err := r.collection(ctx, platform)
	if err != nil || c.StoppedUntil == 0 || c.StoppedUntil > r.millis() {
		return err
	}
	r.cfg.Log.Info("store answers again", "platform", platform)
	return r.cfg.Database.StopCollection(ctx, platform, 0, "")
}

package quota

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

const (
	flushEvery   = 500 * time.Millisecond // a killed process loses less than a second
	sharedEvery  = 10 * time.Second       // usage, to a database that many nodes use
	sharedMost   = time.Minute
	flushTimeout = 5 * time.Second
	flushBatch   = 1000 // states or rows per call of the database
)

// Flusher saves counters and usage to the database, and loads counters at startup.
// It keeps what it could not save and tries again. Create it with [NewFlusher].
type Flusher struct {
	// Nodes returns how many processes save usage to the database, this one included: the more,
	// the less often Run does. nil: the database is this process's own. Set it before Run.
	Nodes func() int
	// Epoch returns that of the database. When it changes, all counters are saved: after a
	// restore or a failover the database may lack those saved last. Set it before Run.
	Epoch func() string

	memory *Memory // nil if another Counter keeps the windows
	usage  *Usage
	repo   Repository
	now    func() int64
	log    *slog.Logger

	mu     sync.Mutex
	states map[string]State // to be saved, by id
	last   string           // epoch that was seen last; "": none
}

// NewFlusher returns a flusher of memory, which may be nil, and usage.
func NewFlusher(memory *Memory, usage *Usage, repo Repository, now func() int64, log *slog.Logger) *Flusher {
	return &Flusher{
		memory: memory, usage: usage, repo: repo, now: now, log: log,
		Epoch:  func() string { return "" },
		states: make(map[string]State),
	}
}

// Load fills the memory counter with the stored states of yesterday and today.
// Call it before the first request.
func (f *Flusher) Load(ctx context.Context) error {
	if f.memory == nil {
		return nil
	}
	// Yesterday too: the clock may have been set back a little since.
	states, err := f.repo.LoadQuota(ctx, (f.now()/minuteMillis/minutesPerDay-1)*minutesPerDay)
	if err != nil {
		return fmt.Errorf("load quota: %w", err)
	}
	f.memory.Load(states)
	return nil
}

// usageEvery returns the time until usage is saved again: 10 s in a database that up to ten
// nodes share, then a second for each, up to a minute. random, in [0,1), spreads the nodes.
func usageEvery(nodes int, random float64) time.Duration {
	every := min(max(time.Duration(nodes)*time.Second, sharedEvery), sharedMost)
	return time.Duration((0.75 + random/4) * float64(every))
}

// Run saves counters and usage every 500 ms (see Nodes for usage), and once
// more when ctx ends. End ctx only after the last request was answered. Run returns the
// error of the last flush.
func (f *Flusher) Run(ctx context.Context) error {
	failing := false
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	usageAt := f.nextUsage()
	for { // between two saves of usage only the counters are saved
		select {
		case <-ctx.Done():
			return f.Flush(context.WithoutCancel(ctx))
		case now := <-tick.C:
			withUsage := !now.Before(usageAt)
			if withUsage {
				usageAt = f.nextUsage()
			}
			err := f.flush(ctx, withUsage)
			switch { // log the first of several failures, and the first success after them
			case ctx.Err() != nil:
				continue
			case err != nil && !failing:
				f.log.Error("cannot save usage; retrying, no counts are lost while the process runs", "error", err)
			case err == nil && failing:
				f.log.Info("usage is being saved again")
			}
			if failing = err != nil; failing {
				usageAt = now // what was not saved is tried again with the counters
			}
			if lost := f.usage.takeLost(); lost > 0 {
				f.log.Error("the history of requests is incomplete: too many waited to be saved", "requests", lost)
			}
		}
	}
}

// Flush saves what changed, within 5 seconds. The next Flush saves what this
// one could not.
func (f *Flusher) Flush(ctx context.Context) error { return f.flush(ctx, true) }

// flush is Flush, with or without usage.
func (f *Flusher) flush(ctx context.Context, usage bool) error {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !usage {
		return f.saveQuota(ctx)
	}
	for {
		all := f.usage.freeze()
		// The counters are read after the usage: what is stored of them, which survives a
		// kill, must not be less than the history.
		if err := errors.Join(f.saveQuota(ctx), f.saveUsage(ctx)); err != nil || all {
			return err
		}
	}
}

// nextUsage returns when Run saves usage again.
func (f *Flusher) nextUsage() time.Time {
	if f.Nodes == nil {
		return time.Time{}
	}
	return time.Now().Add(usageEvery(f.Nodes(), rand.Float64()))
}

func (f *Flusher) saveQuota(ctx context.Context) error {
	if f.memory != nil {
		before := f.last
		f.last = f.Epoch()
		changed := f.memory.Changed(f.now())
		if before != "" && before != f.last { // the database may have lost some
			changed = f.memory.all(f.now())
		}
		for _, st := range changed {
			f.states[st.ID] = st
		}
	}
	states := slices.Collect(maps.Values(f.states))
	for batch := range slices.Chunk(states, flushBatch) {
		if err := f.repo.SaveQuota(ctx, batch); err != nil {
			return fmt.Errorf("save quota: %w", err)
		}
		for _, st := range batch {
			delete(f.states, st.ID)
		}
	}
	return nil
}

// saveUsage saves the frozen batches. A batch that was not saved, or about which the
// store's answer was lost, stays the first.
func (f *Flusher) saveUsage(ctx context.Context) error {
	for {
		b, found := f.usage.next(f.now())
		if !found {
			return nil
		}
		if err := f.repo.SaveUsage(ctx, b); err != nil {
			return fmt.Errorf("save usage: %w", err)
		}
		f.usage.stored()
	}
}

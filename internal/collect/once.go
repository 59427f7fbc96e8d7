package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/sweep"
)

// Filter chooses scopes; a zero field chooses all.
type Filter struct {
	Platform catalog.Platform
	Region   catalog.Region // also scopes of other regions whose answers are valid for this one
	// Force withdraws all missing listings, however many.
	Force bool
}

// Progress reports how far the sweep of a scope is.
type Progress struct {
	Scope sweep.Scope
	// Done counts the parts of a paged sweep, or the items of another.
	Done int
	// Of is what Done will be at the end; zero: not known. For a paged sweep it
	// is the number of the last sweep.
	Of  int
	End bool // the scope is finished
}

// kindsInOrder returns the order in which a new region is read. Prices name the
// items of editions and add-ons, which name those of details; titles need stored
// listings.
func kindsInOrder() []sweep.Kind {
	return []sweep.Kind{sweep.Prices, sweep.Editions, sweep.AddOns, sweep.Titles, sweep.Details}
}

// How long to wait for a scope that another process holds, how often to try, and how many
// leases a sweep may lose.
const (
	holderWait = 2 * time.Minute
	holderLook = time.Second
	lostLeases = 5 // of a scope, after which it fails
)

// Once sweeps every chosen scope, whether it is due or not. It begins with the
// active regions, and sweeps as many regions of a platform at once as there are
// workers. progress is called from one goroutine at a time and may be nil.
//
// Once returns a summary for each scope, in that order, with the error of a
// failed sweep. It returns an error only if it could not try any scope.
func (c *Collector) Once(ctx context.Context, f Filter, progress func(Progress)) ([]Summary, error) {
	if progress == nil {
		progress = func(Progress) {}
	}
	if err := c.checkClock(ctx); err != nil {
		return nil, err
	}
	o := &once{Collector: c, filter: f, progress: progress}
	for _, s := range c.sources {
		if err := o.prepare(ctx, s); err != nil {
			return nil, err
		}
	}
	if len(o.summaries) == 0 {
		return nil, o.nothingChosen()
	}
	return o.sweepChains(ctx)
}

// once is one call of Once.
type once struct {
	*Collector
	filter    Filter
	chains    []chain
	summaries []Summary

	progressMu sync.Mutex // held while progress runs
	progress   func(Progress)
}

// A chain is the scopes of a region, swept one after the other.
type chain struct {
	source *source
	jobs   []sweep.Job
	first  int // index of its first summary
}

// prepare lists the chosen chains of a source and registers it if there are any.
func (o *once) prepare(ctx context.Context, s *source) error {
	if o.filter.Platform != 0 && o.filter.Platform != s.Platform() {
		return nil
	}
	var chains []chain
	for _, active := range []bool{true, false} {
		for _, job := range s.Jobs() {
			chosen := o.filter.Region == (catalog.Region{}) || slices.Contains(job.Regions, o.filter.Region)
			if o.isActive(job) != active || !chosen {
				continue
			}
			i := slices.IndexFunc(chains, func(ch chain) bool { return ch.jobs[0].Scope.Region == job.Scope.Region })
			if i < 0 {
				i = len(chains)
				chains = append(chains, chain{source: s})
			}
			chains[i].jobs = append(chains[i].jobs, job)
		}
	}
	if len(chains) == 0 {
		return nil
	}
	for _, ch := range chains {
		slices.SortFunc(ch.jobs, func(a, b sweep.Job) int {
			return slices.Index(kindsInOrder(), a.Scope.Kind) - slices.Index(kindsInOrder(), b.Scope.Kind)
		})
		ch.first = len(o.summaries)
		o.chains = append(o.chains, ch)
		for _, job := range ch.jobs {
			o.summaries = append(o.summaries, Summary{Scope: job.Scope})
		}
	}
	return o.registerUnlessDone(ctx, s)
}

// nothingChosen returns the error that the profile has nothing of what the filter chooses.
func (o *once) nothingChosen() error {
	var platforms []string
	var regions []catalog.Region
	for _, s := range o.sources {
		platforms = append(platforms, s.Platform().String())
		if o.filter.Platform != 0 && o.filter.Platform != s.Platform() {
			continue
		}
		for _, job := range s.Jobs() {
			regions = append(regions, job.Regions...)
		}
	}
	if len(regions) == 0 {
		return fmt.Errorf("--platform %s: the profile has no section of this name, only %s", o.filter.Platform, strings.Join(platforms, ", "))
	}
	slices.SortFunc(regions, catalog.Region.Compare)
	return fmt.Errorf("--region %s: the profile does not have it, only %s", o.filter.Region, catalog.JoinRegions(slices.Compact(regions), ", "))
}

// registerUnlessDone registers a source unless a running service has done so with its own
// intervals. Without a service, the platform is only swept by hand.
func (o *once) registerUnlessDone(ctx context.Context, s *source) error {
	c, err := o.collection(ctx, s.Platform())
	sweeps, sweepsErr := o.cfg.Database.Sweeps(ctx, o.millis(), 0)
	if err := cmp.Or(err, sweepsErr); err != nil {
		return err
	}
	every := time.Duration(c.Interval) * time.Millisecond
	missing := func(job sweep.Job) bool {
		return !slices.ContainsFunc(sweeps, func(have sweep.State) bool {
			return have.Scope == job.Scope && s.owns(&have)
		})
	}
	if every == 0 || slices.ContainsFunc(s.Jobs(), missing) {
		return o.register(ctx, s, every)
	}
	return nil
}

// sweepChains runs as many chains of each platform at once as it has workers. It
// returns an error only when ctx ends.
func (o *once) sweepChains(ctx context.Context) ([]Summary, error) {
	var platforms errgroup.Group
	for _, s := range o.sources {
		platforms.Go(func() error {
			var workers errgroup.Group
			workers.SetLimit(o.cfg.Workers)
			for _, ch := range o.chains {
				if ch.source == s {
					workers.Go(func() error {
						for i, job := range ch.jobs {
							if err := ctx.Err(); err != nil {
								return err
							}
							o.summaries[ch.first+i] = o.sweepOne(ctx, ch.source, job)
						}
						return ctx.Err()
					})
				}
			}
			return workers.Wait()
		})
	}
	err := platforms.Wait()
	return o.summaries, err
}

// sweepOne sweeps one scope as soon as no other process holds it. A machine that slept, or
// was too busy to renew the lease, loses it: the sweep goes on when it is held again.
func (o *once) sweepOne(ctx context.Context, s *source, job sweep.Job) Summary {
	began, giveUp, lost, restart := o.millis(), o.cfg.Now().Add(holderWait), 0, true
	for {
		r := o.newRun(s, job, pricesClass)
		r.restart, r.force = restart, o.filter.Force
		r.onProgress = func(done int) { o.report(Progress{Scope: job.Scope, Done: done, Of: max(done, r.expected)}) }
		err := o.cfg.Database.Hasten(ctx, []sweep.Scope{job.Scope})
		if err == nil {
			var ran bool
			ran, err = r.hold(ctx)
			if ran && errors.Is(err, lease.ErrLost) && lost < lostLeases {
				lost++
				giveUp = o.cfg.Now().Add(holderWait)
				restart = restart && r.state.Began < began
				r.keepSummary()
				continue
			}
			if ran {
				o.report(Progress{Scope: job.Scope, Done: r.done, Of: r.done, End: true})
				return r.sum
			}
		}
		if err == nil && o.cfg.Now().After(giveUp) {
			err = fmt.Errorf("sweep %s: another process has held it for %v", job.Scope, holderWait)
		}
		if err != nil || ctx.Err() != nil {
			return Summary{Scope: job.Scope, Err: cmp.Or(err, ctx.Err())}
		}
		sleep(ctx, holderLook)
	}
}

func (o *once) report(p Progress) {
	o.progressMu.Lock()
	defer o.progressMu.Unlock()
	o.progress(p)
}

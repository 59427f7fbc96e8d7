package feed

import (
	"context"
	"fmt"
	"time"

	"gamedex/internal/catalog"
)

// Store is what Import fills.
type Store interface {
	// Save stores a batch, all of it or nothing, by rule 1 of the format. It
	// does not keep the slice.
	Save(ctx context.Context, batch []catalog.Listing) (catalog.SaveCounts, error)
	// RegionListings calls fn for each listing of a region that is not
	// withdrawn: its product id and when it was last seen.
	RegionListings(ctx context.Context, p catalog.Platform, r catalog.Region, fn func(product string, seenAt catalog.Millis)) error
}

// Preparer is a Store that can do some of a Save beforehand, without what it
// stores. Import lets it do so for a batch while the one before is saved.
type Preparer interface {
	Store
	// Prepare returns the rest of a Save of the batch, to be called at most once.
	// It is called while a Save runs, and must not wait for it. The batch stays
	// as it is until the rest returns.
	Prepare(batch []catalog.Listing) func(context.Context) (catalog.SaveCounts, error)
}

// Options say what Import reads and how.
type Options struct {
	Inputs []string // names for Open, read one after the other
	Open   Opener
	Now    func() time.Time
	// Strict: each input is copied to a file in TempDir (empty: the system's)
	// and checked first; nothing is stored unless every line is good.
	Strict  bool
	TempDir string
	// Complete names the regions of which the inputs are the whole: what they
	// lack is withdrawn. Force allows that for more than a tenth of a region.
	Complete []Scope
	Force    bool
	// Rejected, if set, is told each line that is refused, in order; Progress,
	// if set, how far the import is. Both are called by Import's goroutine.
	Rejected func(input string, why *LineError)
	Progress func(Progress)
}

// Progress is how far an import is.
type Progress struct {
	Input    string
	Checking bool  // the first pass of a strict import
	Bytes    int64 // of the input as it comes, packed or not
	Size     int64 // of the whole input; -1 if not known
	Summary  Summary
}

// Summary is what became of the lines of an import.
type Summary struct {
	Read      int // lines with a listing, good or not
	Saved     catalog.SaveCounts
	Rejected  int
	Withdrawn int            // missing in a complete import
	Unknown   map[string]int // unknown fields: how many lines had them
}

// Stored is how many lines changed the catalog.
func (s Summary) Stored() int { return s.Saved.New + s.Saved.Changed }

// Import reads all inputs, in batches that are stored as they come, and then
// withdraws what a complete import lacks. The summary is true whatever the
// error: batches it counts are stored, and after an error nothing is
// withdrawn. Rejected lines alone are no error, unless the import is strict or
// complete. The import can always be run again.
func Import(ctx context.Context, store Store, o Options) (Summary, error) {
	run := importing{store: store, options: o}
	run.summary.Unknown = make(map[string]int)
	if err := run.whole(ctx); err != nil {
		return run.summary, fmt.Errorf("import: %w", err)
	}
	return run.summary, nil
}

type importing struct {
	store    Store
	options  Options
	summary  Summary
	checking bool
	regions  []*region
	latest   catalog.Millis // observedAt of all lines
}

func (run *importing) whole(ctx context.Context) error {
	for _, scope := range run.options.Complete { // measured before anything is stored
		r := &region{Scope: scope, present: make(map[string]struct{})}
		err := run.store.RegionListings(ctx, r.Platform, r.Region, func(string, catalog.Millis) { r.before++ })
		if err != nil {
			return err
		}
		run.regions = append(run.regions, r)
	}
	open := run.options.Open
	if run.options.Strict {
		copies, err := newSpool(run.options.TempDir, open)
		if err != nil {
			return err
		}
		defer copies.remove()
		if err := run.check(ctx, copies); err != nil {
			return err
		}
		open = copies.reopen
	}
	prepare := func(batch []catalog.Listing) func(context.Context) (catalog.SaveCounts, error) {
		return func(ctx context.Context) (catalog.SaveCounts, error) { return run.store.Save(ctx, batch) }
	}
	if p, ok := run.store.(Preparer); ok {
		prepare = p.Prepare
	}
	if err := run.pass(ctx, open, prepare); err != nil {
		return err
	}
	return run.withdraw(ctx)
}

// check is the first pass of a strict import: it stores nothing.
func (run *importing) check(ctx context.Context, copies *spool) error {
	run.checking = true
	if err := run.pass(ctx, copies.openAndCopy, nil); err != nil {
		return err
	}
	if run.summary.Rejected > 0 {
		advice := "fix them"
		if good := run.summary.Read - run.summary.Rejected; good > 0 {
			advice += fmt.Sprintf(", or drop --strict to import the other %d", good)
		}
		return fmt.Errorf("nothing is stored (rejected lines: %d of %d): %s", run.summary.Rejected, run.summary.Read, advice)
	}
	run.checking = false
	run.summary = Summary{Unknown: make(map[string]int)}
	return nil
}

type prepareFunc func([]catalog.Listing) func(context.Context) (catalog.SaveCounts, error)

// pass reads all inputs once and saves the good lines, unless prepare is nil.
// Reading and preparing go on while a batch is saved.
func (run *importing) pass(ctx context.Context, open Opener, prepare prepareFunc) (err error) {
	readCtx, cancel := context.WithCancel(ctx)
	batches := readBatches(readCtx, reading{run.options.Inputs, open, run.options.Now, prepare})
	defer func() {
		cancel()
		for range batches.full { // until reading has stopped
		}
		if ctx.Err() != nil {
			err = fmt.Errorf("interrupted after %d lines: %w", run.summary.Read, ctx.Err())
		}
	}()
	for b := range batches.full {
		if b.save != nil {
			saved, err := b.save(readCtx)
			if err != nil {
				return err
			}
			run.summary.Saved = run.summary.Saved.Add(saved)
			for i := range b.listings {
				l := &b.listings[i]
				run.latest = max(run.latest, l.ObservedAt)
				for _, r := range run.regions {
					if l.Platform == r.Platform && l.Region == r.Region {
						r.present[l.Product] = struct{}{}
					}
				}
			}
		}
		run.summary.Read += len(b.listings) + len(b.rejected)
		run.summary.Rejected += len(b.rejected)
		for name, n := range b.unknown {
			run.summary.Unknown[name] += n
		}
		for _, why := range b.rejected {
			if run.options.Rejected != nil {
				run.options.Rejected(b.input, why)
			}
		}
		if run.options.Progress != nil {
			run.options.Progress(Progress{b.input, run.checking, b.bytes, b.size, run.summary})
		}
		batches.free <- b
	}
	return <-batches.failed
}

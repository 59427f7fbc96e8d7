package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
)

// Repository is where Import saves listings.
type Repository interface {
	// Save stores a whole batch or nothing, according to rule 1 of the format.
	// It does not keep the slice.
	Save(ctx context.Context, batch []catalog.Listing) (catalog.SaveCounts, error)
	// RegionListings calls fn for each listing of a region that is not
	// withdrawn: its product id and when it was last seen.
	RegionListings(ctx context.Context, p catalog.Platform, r catalog.Region, fn func(product string, seenAt catalog.Millis)) error
}

// Options are the options of Import.
type Options struct {
	Inputs []string // names for Open, read one after the other
	Open   Opener
	Table  *feed.TableOptions // the inputs are tables in CSV; nil: NDJSON
	Now    func() time.Time
	// Strict copies each input to a file in TempDir (empty: the system's) and
	// checks it first. Import then stores nothing unless every line is valid.
	// Copies that killed imports left in TempDir are removed.
	Strict  bool
	TempDir string
	// DryRun reads the inputs and stores nothing. It needs no Repository.
	DryRun bool
	// Complete names the regions that the inputs contain completely. Import
	// withdraws their other listings; more than a tenth only with Force.
	Complete []Scope
	Force    bool
	// Rejected, if set, is called with each refused line, in order; Warned, if set, with
	// each line whose price was corrected; Progress, if set, with the progress of the
	// import. Import calls them in its own goroutine.
	Rejected func(input string, why *feed.LineError)
	Warned   func(input string, why *feed.LineError)
	Progress func(Progress)
}

// Progress is the progress of an import.
type Progress struct {
	Input    string
	Checking bool  // the first pass of a strict import
	Bytes    int64 // of the input, compressed or not
	Size     int64 // of the whole input; -1 if not known
	Summary  Summary
}

// Summary counts the outcomes of the lines of an import.
type Summary struct {
	Read      int // lines with a listing, valid or not
	Saved     catalog.SaveCounts
	Rejected  int
	Repeated  int            // lines of Repeats
	Withdrawn int            // missing in a complete import
	Unknown   map[string]int // number of lines with each unknown field
	Decoded   int            // listings with HTML entities in titles and names
	Repeats   []Repeats      // of the inputs that have some
	Notes     []Note         // of tables
	// First has the first valid listings, at most 10, of tables and of a dry run.
	First []catalog.Listing
}

// Note says where the values of a missing column come from, or which field a column is.
type Note struct{ Input, Text string }

// Stored returns the number of lines that changed the catalog.
func (s Summary) Stored() int { return s.Saved.New + s.Saved.Changed }

// Import reads all inputs and stores them in batches. Then it withdraws the listings
// that a complete import lacks. The summary is correct even with an error: the batches
// that it counts are stored, and nothing was withdrawn. Rejected lines are an error only
// if the import is strict or complete. An import can always be repeated.
func Import(ctx context.Context, repository Repository, o Options) (Summary, error) {
	run := importing{repository: repository, options: o}
	run.summary.Unknown = make(map[string]int)
	if err := run.whole(ctx); err != nil {
		return run.summary, fmt.Errorf("import: %w", err)
	}
	return run.summary, nil
}

type importing struct {
	repository Repository
	options    Options
	summary    Summary
	checking   bool
	regions    []*region
	latest     catalog.Millis // observedAt of all lines
	// warnedOlder is how many batches with older lines were searched for them.
	warnedOlder int
}

func (run *importing) whole(ctx context.Context) error {
	for _, scope := range run.options.Complete { // count before anything is stored
		r := &region{Scope: scope, present: make(map[string]struct{})}
		err := run.repository.RegionListings(ctx, r.Platform, r.Region, func(string, catalog.Millis) { r.before++ })
		if err != nil {
			return err
		}
		run.regions = append(run.regions, r)
	}
	if run.options.TempDir != "" {
		removeAbandoned(run.options.TempDir)
	}
	open := run.options.Open
	if run.options.DryRun {
		run.checking = true
		return run.pass(ctx, open)
	}
	if run.options.Strict {
		copies := &spool{dir: run.options.TempDir, source: open}
		defer copies.remove()
		if err := run.check(ctx, copies); err != nil {
			return err
		}
		open = copies.reopen
	}
	if err := run.pass(ctx, open); err != nil {
		return err
	}
	return run.withdraw(ctx)
}

// check is the first pass of a strict import: it stores nothing.
func (run *importing) check(ctx context.Context, copies *spool) error {
	run.checking = true
	if err := run.pass(ctx, copies.openAndCopy); err != nil {
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

// pass reads all inputs once and, unless it only checks, saves the valid lines. It
// reads while a batch is saved.
func (run *importing) pass(ctx context.Context, open Opener) (err error) {
	readCtx, cancel := context.WithCancel(ctx)
	batches := readBatches(readCtx, reading{run.options.Inputs, open, run.options.Table, run.options.Now})
	defer func() {
		cancel()
		for range batches.full { // until reading has stopped
		}
		if ctx.Err() != nil {
			err = fmt.Errorf("interrupted after %d lines: %w", run.summary.Read, ctx.Err())
		}
	}()
	for b := range batches.full {
		if !run.checking && len(b.listings) > 0 {
			if err := run.save(readCtx, b); err != nil {
				return err
			}
		}
		run.count(b)
		batches.free <- b
	}
	return <-batches.failed
}

// save saves the listings of a batch, and notes which of the complete regions they are in.
func (run *importing) save(ctx context.Context, b *batch) error {
	saved, err := run.repository.Save(ctx, b.listings)
	if err != nil {
		return err
	}
	run.summary.Saved = run.summary.Saved.Add(saved)
	if saved.Older > 0 && run.options.Table != nil && run.options.Warned != nil && run.warnedOlder < maxWarnedOlder {
		if err := run.warnOfOlder(ctx, b); err != nil {
			return err
		}
	}
	for i := range b.listings {
		l := &b.listings[i]
		run.latest = max(run.latest, l.ObservedAt)
		for _, r := range run.regions {
			if l.Platform == r.Platform && l.Region == r.Region {
				r.present[l.Product] = struct{}{}
			}
		}
	}
	return nil
}

// maxWarnedOlder bounds the time of warnOfOlder: it reads whole regions.
const maxWarnedOlder = 5

// warnOfOlder warns of each row of a batch that was not stored because a later observation
// is.
func (run *importing) warnOfOlder(ctx context.Context, b *batch) error {
	run.warnedOlder++
	seen, scopes := make(map[catalog.Key]catalog.Millis), make(map[Scope]bool)
	for i := range b.listings {
		key := b.listings[i].Key
		seen[key], scopes[Scope{key.Platform, key.Region}] = 0, true
	}
	for of := range scopes {
		err := run.repository.RegionListings(ctx, of.Platform, of.Region, func(product string, at catalog.Millis) {
			key := catalog.Key{Platform: of.Platform, Region: of.Region, Product: product}
			if _, asked := seen[key]; asked {
				seen[key] = at
			}
		})
		if err != nil {
			return err
		}
	}
	for i := range b.listings {
		if at, own := seen[b.listings[i].Key], b.listings[i].ObservedAt; own < at {
			run.options.Warned(b.input, &feed.LineError{Line: b.lines[i], Field: "observedAt", Value: own.Time().Format(time.RFC3339Nano),
				Reason: "is before " + at.Time().Format(time.RFC3339Nano) + ", when the stored listing was last seen, so the row is not stored"})
		}
	}
	return nil
}

// maxFirst is how many listings Summary.First has.
const maxFirst = 10

// count adds a batch to the summary, and reports its rejected lines and the progress.
func (run *importing) count(b *batch) {
	run.summary.Read += len(b.listings) + len(b.rejected) + b.repeated
	run.summary.Rejected += len(b.rejected)
	run.summary.Repeated += b.repeated
	run.summary.Decoded += b.decoded
	if b.repeats.Lines > 0 {
		run.summary.Repeats = append(run.summary.Repeats, b.repeats)
	}
	if run.options.Table != nil || run.options.DryRun {
		left := maxFirst - len(run.summary.First)
		run.summary.First = append(run.summary.First, b.listings[:min(left, len(b.listings))]...)
	}
	for _, text := range b.notes {
		run.summary.Notes = append(run.summary.Notes, Note{b.input, text})
	}
	for name, n := range b.unknown {
		run.summary.Unknown[name] += n
	}
	for _, why := range b.rejected {
		if run.options.Rejected != nil {
			run.options.Rejected(b.input, why)
		}
	}
	for _, why := range b.warnings {
		if run.options.Warned != nil && (!run.checking || run.options.DryRun) {
			run.options.Warned(b.input, why)
		}
	}
	if run.options.Progress != nil {
		run.options.Progress(Progress{b.input, run.checking, b.bytes, b.size, run.summary})
	}
}

// Scope is one platform in one region.
type Scope struct {
	Platform catalog.Platform
	Region   catalog.Region
}

// ParseScope parses PLATFORM:REGION, such as "consolestore:TR".
func ParseScope(s string) (Scope, error) {
	platform, region, found := strings.Cut(s, ":")
	if !found {
		return Scope{}, fmt.Errorf("%q: must be PLATFORM:REGION such as consolestore:TR", s)
	}
	p, err := catalog.ParsePlatform(platform)
	if err != nil {
		return Scope{}, fmt.Errorf("%q: %w", s, err)
	}
	r, err := catalog.FindRegion(region)
	if err != nil {
		return Scope{}, fmt.Errorf("%q: %w", s, err)
	}
	return Scope{p, r}, nil
}

// String returns the form that ParseScope parses.
func (s Scope) String() string { return s.Platform.String() + ":" + s.Region.String() }

// region is a scope that the inputs contain completely.
type region struct {
	Scope
	before  int                 // its listings before the import
	present map[string]struct{} // product ids in the inputs
	missing []string            // product ids to withdraw
}

// maxShare is the percentage of a region that may be withdrawn without force.
const maxShare = 10

// withdraw checks all regions before it withdraws anything in one.
func (run *importing) withdraw(ctx context.Context) error {
	if len(run.regions) == 0 {
		return nil
	}
	if run.summary.Rejected > 0 {
		return fmt.Errorf("withdraw nothing: the input is not complete (rejected lines: %d)", run.summary.Rejected)
	}
	if run.summary.Read == 0 {
		return errors.New("withdraw nothing: the input has no listings")
	}
	for _, r := range run.regions {
		err := run.repository.RegionListings(ctx, r.Platform, r.Region, func(product string, seenAt catalog.Millis) {
			// A listing that was seen after the inputs stays.
			if _, present := r.present[product]; !present && seenAt <= run.latest {
				r.missing = append(r.missing, product)
			}
		})
		if err != nil {
			return err
		}
		// Compare with the region before the import, so that new listings do not
		// hide a loss.
		if !run.options.Force && len(r.missing)*100 > r.before*maxShare {
			return fmt.Errorf("withdraw nothing: the input lacks %d of the %d listings of %s, more than %d%%: check that it is complete, or repeat with --force",
				len(r.missing), r.before, r.Scope, maxShare)
		}
	}
	for _, r := range run.regions {
		for products := range slices.Chunk(r.missing, batchLines) {
			gone := make([]catalog.Listing, len(products))
			for i, product := range products {
				gone[i].Key = catalog.Key{Platform: r.Platform, Region: r.Region, Product: product}
				gone[i].Facts.Type = catalog.Game
				gone[i].ObservedAt, gone[i].Withdrawn = run.latest, true
			}
			saved, err := run.repository.Save(ctx, gone)
			if err != nil {
				return fmt.Errorf("withdraw from %s: %w", r.Scope, err)
			}
			run.summary.Withdrawn += saved.New + saved.Changed
		}
	}
	return nil
}

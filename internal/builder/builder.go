package builder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"gamedex/internal/bucket"
	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/index"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/publish"
)

// Database is the part of the database that a builder reads between builds.
type Database interface {
	Listings
	// Newest returns a number that rises whenever a listing changes, and the epoch of
	// the database: if that is another one, equal numbers may stand for other data.
	Newest(ctx context.Context) (epoch string, generation int64, err error)
	// DatabaseID returns an id that no other database has.
	DatabaseID() string
	// Rates returns the current exchange rates; the zero value if there are none.
	Rates(ctx context.Context) (money.Rates, error)
	// Regions returns the sorted regions with listings that are not withdrawn.
	Regions(ctx context.Context) ([]catalog.Region, error)
	// Loading reports whether an import is running.
	Loading(ctx context.Context) (bool, error)
}

// Config configures a Builder. All fields are required except Active, Keep, PresentEvery,
// Damaged and OnBuild.
type Config struct {
	Database    Database
	Publication publish.Publication
	ServedIDs   ServedIDs
	Bucket      bucket.Bucket
	Leases      lease.Holder
	Active      []catalog.Region // empty: see catalog.ActiveRegions
	// Overrides returns the operator's current overrides. After an error the last valid
	// ones stay in force, but after override.ErrUnavailable nothing is built.
	Overrides func(context.Context) (override.Set, error)
	// States returns the current states of the platforms. What it read in another epoch of
	// the database does not count.
	States func(ctx context.Context, epoch string) ([]index.PlatformState, error)
	// Keep is how long snapshots that were replaced are kept at least; see
	// publish.Publisher.Clean.
	Keep time.Duration
	// PresentEvery is how often the builder checks that nobody deleted or overwrote what it
	// published; 0 is every 2 s.
	PresentEvery time.Duration
	// Damaged returns the names of the files in the bucket that nodes report as missing or damaged;
	// nil: they report none.
	Damaged func() []string
	Now     func() time.Time // for pauses and durations
	Clock   func() time.Time // the time that snapshots have, and whose day their prices are of
	Log     *slog.Logger
	// OnBuild is called after every published build.
	OnBuild func(Report)
}

// Report describes a build.
type Report struct {
	Seq                            int64
	Listings, Cards                int
	CatalogBytes, PricesBytes      int
	LowsBytes                      int
	PricesAlone                    bool // the cards did not change
	Read, Merge, Index, Write, All time.Duration
}

// Builder keeps the published snapshot up to date with the database.
type Builder struct {
	cfg         Config
	publisher   *publish.Publisher
	listings    *listingTable
	served      servedIDs
	epoch       string           // of the database, as last seen; "": not yet
	active      []catalog.Region // since generation activeAt
	activeAt    int64
	prose       map[catalog.ProseID]*catalog.Prose // of the cards of the last build
	last        builtBlobs
	wait        *pending // nil: nothing to build
	lastEnd     time.Time
	lastTook    time.Duration
	inspection  inspection
	refreshedAt time.Time                   // when rates and states were last compared
	held        func(context.Context) error // returns nil while the lease is held
	overrides   override.Set                // the last valid ones
	warnings    warnings
	trouble     atomic.Pointer[failure]
}

// New returns a builder that has not read anything yet.
func New(cfg Config) *Builder {
	if cfg.PresentEvery == 0 {
		cfg.PresentEvery = 2 * time.Second
	}
	if cfg.Damaged == nil {
		cfg.Damaged = func() []string { return nil }
	}
	if cfg.OnBuild == nil {
		cfg.OnBuild = func(Report) {}
	}
	return &Builder{
		cfg: cfg, publisher: publish.NewPublisher(cfg.Bucket, cfg.Publication, cfg.Log),
		listings: newListingTable(), served: newServedIDs(),
	}
}

// The pace of the loop: how often it checks the inputs, and how long it waits after a
// failure.
const (
	lookEvery    = 200 * time.Millisecond
	shortestLook = time.Millisecond       // when a build may start at once
	refreshEvery = 700 * time.Millisecond // of rates and states, which are published within a second
	retryAfter   = 2 * time.Second
	// stepBackFor is how long a builder leaves the lease to one of a newer version,
	// before it looks again whether that one still publishes.
	stepBackFor = 30 * time.Second
	leaseName   = "build"
)

// Run builds and publishes until ctx ends, whenever this process holds the
// lease. It logs failures and tries again. It steps back from snapshots of a newer
// version of the program: it gives the lease back and looks again later.
func (b *Builder) Run(ctx context.Context) error {
	for {
		var newer *publish.NewerError
		held, err := b.cfg.Leases.Hold(ctx, leaseName, func(ctx context.Context, l *lease.Lease) error {
			b.held = func(ctx context.Context) error { return b.cfg.Leases.Confirm(ctx, *l) }
			err := b.work(ctx)
			if ctx.Err() != nil || errors.As(err, &newer) {
				return nil
			}
			return err
		})
		if ctx.Err() != nil {
			return nil
		}
		pause := retryAfter
		if err != nil && held {
			b.trouble.Store(&failure{err, b.cfg.Now()})
		}
		switch {
		case newer != nil:
			b.stepBack(newer)
			pause = stepBackFor
		case err != nil && held:
			b.cfg.Log.Error("build failed; it will be tried again", "error", err)
		case err != nil:
			b.cfg.Log.Warn("build lease not available; it will be tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

// failure is when and why a try to publish failed.
type failure struct {
	err error
	at  time.Time
}

// failureCounts is how long a failure counts. If this builder does not try again until then, another
// one holds the lease.
const failureCounts = time.Minute

// Trouble returns why this builder cannot publish; nil if it can, or another one does.
func (b *Builder) Trouble() error {
	if f := b.trouble.Load(); f != nil && b.cfg.Now().Sub(f.at) < failureCounts {
		return f.err
	}
	return nil
}

// work builds and publishes until ctx ends or something fails.
func (b *Builder) work(ctx context.Context) error {
	if err := b.publisher.Resume(ctx, merge.MergeVersion); err != nil {
		return err
	}
	b.warnings.replace(&b.warnings.newer, "")
	for {
		if err := b.check(ctx); err != nil {
			return err
		}
		if b.wait == nil {
			b.trouble.Store(nil)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(nextLook(b.wait, b.cfg.Now(), b.lastEnd, b.lastTook)):
		}
	}
}

// stepBack warns once that a newer version of the program builds.
func (b *Builder) stepBack(newer *publish.NewerError) {
	about := fmt.Sprintf("this process builds no snapshots: a newer version of gamedex does, with format %d and merge version %d instead of %d and %d; "+
		"replace this process by that version, or, to stay with this one, stop all processes, delete all snapshots and start again",
		newer.Format, newer.MergeVersion, index.Format, merge.MergeVersion)
	if b.warnings.replace(&b.warnings.newer, about) {
		b.cfg.Log.Warn(about, "seq", newer.Seq)
	}
}

// check compares the current inputs with the published ones once, and publishes the
// differences.
func (b *Builder) check(ctx context.Context) error {
	if err := b.repair(ctx); err != nil {
		return err
	}
	inputs, err := b.inputs(ctx)
	if err != nil {
		return err
	}
	// After a gap in the numbers it builds again: a node may have shown what is lost, and
	// which games have changed since is not known.
	if _, follows := b.publisher.Next(); follows && b.publisher.Current().Inputs.Equal(inputs) {
		b.wait = nil
		return b.refresh(ctx)
	}
	if inputs.Generation == 0 {
		return nil // no listing was ever stored
	}
	loading, err := b.cfg.Database.Loading(ctx)
	if err != nil {
		return fmt.Errorf("read loading mark: %w", err)
	}
	b.wait = b.wait.noticed(inputs, loading, b.cfg.Now())
	if b.cfg.Now().Before(startAt(*b.wait, b.lastEnd, b.lastTook)) {
		return nil
	}
	b.wait = nil
	return b.build(ctx, inputs)
}

// inputs returns the inputs of a snapshot that is built now.
func (b *Builder) inputs(ctx context.Context) (publish.Inputs, error) {
	epoch, generation, err := b.cfg.Database.Newest(ctx)
	if err != nil {
		return publish.Inputs{}, fmt.Errorf("read generation: %w", err)
	}
	if epoch != b.epoch {
		if err := b.begin(ctx, epoch); err != nil {
			return publish.Inputs{}, err
		}
	}
	if b.active == nil || b.activeAt != generation {
		listed, err := b.cfg.Database.Regions(ctx)
		if err != nil {
			return publish.Inputs{}, err
		}
		b.active, b.activeAt = catalog.ActiveRegions(b.cfg.Active, listed), generation
	}
	overrides, err := b.cfg.Overrides(ctx) // invalid overrides do not replace the last valid ones
	if errors.Is(err, override.ErrUnavailable) {
		return publish.Inputs{}, err
	}
	invalid := ""
	if err == nil {
		b.overrides = overrides
	} else {
		invalid = fmt.Sprintf("overrides are not valid; the last valid ones stay in force: %v", err)
	}
	if b.warnings.replace(&b.warnings.invalid, invalid) {
		b.cfg.Log.Error(invalid)
	}
	return publish.Inputs{
		DatabaseID: b.cfg.Database.DatabaseID(), Epoch: epoch, Generation: generation, Active: b.active,
		MergeVersion: merge.MergeVersion, OverridesHash: b.overrides.Hash(), Format: index.Format,
		Day: catalog.MillisOf(b.cfg.Clock()).Day(),
	}, nil
}

// begin forgets what was read in another epoch of the database, such as before a restore.
func (b *Builder) begin(ctx context.Context, epoch string) error {
	if b.epoch != "" {
		b.cfg.Log.Warn("the database was restored, or its standby was promoted; everything is read again")
		// Its number of publications may be lower than what is published.
		if err := b.publisher.Resume(ctx, merge.MergeVersion); err != nil {
			return err
		}
	}
	b.listings, b.served, b.last, b.prose, b.active = newListingTable(), newServedIDs(), builtBlobs{}, nil, nil
	b.epoch = epoch
	return nil
}

// refresh publishes changed rates and states without a build.
func (b *Builder) refresh(ctx context.Context) error {
	now, current := b.cfg.Now(), b.publisher.Current()
	if age := now.Sub(b.refreshedAt); current.Seq == 0 || 0 <= age && age < refreshEvery {
		return nil
	}
	b.refreshedAt = now
	m := current
	if err := b.addRatesAndStates(ctx, &m); err != nil {
		return err
	}
	if m.Rates.Hash() == current.Rates.Hash() && slices.EqualFunc(m.Platforms, current.Platforms, index.PlatformState.Equal) {
		return nil
	}
	if err := b.publisher.Publish(ctx, m); err != nil {
		return err
	}
	return b.clean(ctx)
}

// clean deletes old snapshots.
func (b *Builder) clean(ctx context.Context) error {
	return b.publisher.Clean(ctx, b.cfg.Keep, b.held)
}

// addRatesAndStates adds the current rates and platform states to a manifest.
func (b *Builder) addRatesAndStates(ctx context.Context, m *publish.Manifest) error {
	var err error
	if m.Rates, err = b.cfg.Database.Rates(ctx); err != nil {
		return fmt.Errorf("read rates: %w", err)
	}
	if m.Platforms, err = b.cfg.States(ctx, b.epoch); err != nil {
		return fmt.Errorf("read platform states: %w", err)
	}
	return nil
}

// The times that decide when a build starts.
const (
	quiet       = 250 * time.Millisecond // after the last change
	pauseFactor = 9                      // times the duration of the last build, after its end
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

// startAt returns when to build: after a short time without changes, and after a pause
// of nine times the duration of the last build, so that builds take at most a tenth of
// the time. It is at most a minute after the change; while an import runs, it is that
// minute.
func startAt(p pending, lastEnd time.Time, lastTook time.Duration) time.Time {
	latest := p.first.Add(longestWait)
	if p.loading {
		return latest
	}
	start := slices.MaxFunc([]time.Time{p.last.Add(quiet), lastEnd.Add(pauseFactor * lastTook)}, time.Time.Compare)
	return slices.MinFunc([]time.Time{start, latest}, time.Time.Compare)
}

// nextLook returns how long the builder may sleep before it checks the inputs again: not
// past the time when it may build what is pending.
func nextLook(p *pending, now, lastEnd time.Time, lastTook time.Duration) time.Duration {
	if p == nil {
		return lookEvery
	}
	return min(lookEvery, max(startAt(*p, lastEnd, lastTook).Sub(now), shortestLook))
}

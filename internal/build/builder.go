package build

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gamedex/internal/bucket"
	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/index"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/publish"
)

// Database is what a builder asks between builds.
type Database interface {
	Source
	// Generation moves whenever a listing changes.
	Generation(ctx context.Context) (int64, error)
	// DatabaseID tells this database from every other.
	DatabaseID() string
	// Rates is the table in force; the zero value if there is none.
	Rates(ctx context.Context) (money.Rates, error)
	// Loading says whether an import is at work.
	Loading(ctx context.Context) (bool, error)
}

// Publication decides whose manifest counts.
type Publication interface {
	// Advance moves the number from seq to seq+1, if it still is seq.
	Advance(ctx context.Context, seq int64) (won bool, err error)
	// Raise moves the number to seq, if it is lower, and returns the number.
	Raise(ctx context.Context, seq int64) (now int64, err error)
}

// Config is what a Builder works with. All fields are required but OnBuild.
type Config struct {
	Database    Database
	Publication Publication
	ServedIDs   ServedIDs
	Bucket      bucket.Bucket
	Leases      lease.Holder
	Active      []catalog.Region
	// Overrides gives the operator's corrections as they are now.
	Overrides func() (merge.Overrides, error)
	// States gives the platforms' states as they are now.
	States func(context.Context) ([]index.PlatformState, error)
	Now    func() time.Time
	Log    *slog.Logger
	// OnBuild is told of every published build.
	OnBuild func(Report)
}

// Report says what a build was.
type Report struct {
	Seq                            int64
	Listings, Cards                int
	CatalogBytes, PricesBytes      int
	PricesAlone                    bool // the cards stayed as they were
	Read, Merge, Index, Write, All time.Duration
}

// Builder keeps the published snapshot equal to the database.
type Builder struct {
	cfg       Config
	table     *table
	served    *served
	prose     *proseCache
	published publish.Manifest // Seq 0: none yet
	made      made
	seq       int64    // of the publication, as last seen
	wait      *pending // nil: nothing to build
	lastEnd   time.Time
	lastTook  time.Duration
	overrides lastGood[merge.Overrides]
}

// New makes a builder that has read nothing yet.
func New(cfg Config) *Builder {
	if cfg.OnBuild == nil {
		cfg.OnBuild = func(Report) {}
	}
	return &Builder{cfg: cfg, table: newTable(), served: newServed(), prose: newProseCache()}
}

// The pace of the loop: how often it looks, how long it waits after a failure.
const (
	lookEvery  = 200 * time.Millisecond
	retryAfter = 2 * time.Second
	leaseName  = "build"
)

// Run builds and publishes until ctx ends, while this process holds the lease;
// otherwise it waits for it. Failures are logged and retried.
func (b *Builder) Run(ctx context.Context) error {
	for {
		held, err := b.cfg.Leases.Hold(ctx, leaseName, func(ctx context.Context, _ *lease.Lease) error {
			return b.work(ctx)
		})
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && held {
			b.cfg.Log.Error("build failed; it will be tried again", "error", err)
		} else if err != nil {
			b.cfg.Log.Warn("build lease not available; it will be tried again", "error", err)
		}
		if !sleep(ctx, retryAfter) {
			return nil
		}
	}
}

// work looks at the inputs again and again until ctx ends or something fails.
func (b *Builder) work(ctx context.Context) error {
	if err := b.resume(ctx); err != nil {
		return err
	}
	for {
		if err := b.look(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if !sleep(ctx, lookEvery) {
			return nil
		}
	}
}

// resume takes up what is published, whoever published it, unless its blobs are
// gone or damaged: then nothing counts as published, and look builds.
func (b *Builder) resume(ctx context.Context) error {
	m, err := publish.Latest(ctx, b.cfg.Bucket, func(err error) {
		b.cfg.Log.Warn("manifest is not usable", "error", err)
	})
	if err != nil && !errors.Is(err, publish.ErrNoManifest) {
		return fmt.Errorf("read latest manifest: %w", err)
	}
	if err == nil {
		if err := b.intact(ctx, m); err != nil {
			b.cfg.Log.Error("published snapshot is not usable; it is built anew", "seq", m.Seq, "error", err)
			m = publish.Manifest{}
		}
	}
	b.published = m
	numbers, err := publish.Numbers(ctx, b.cfg.Bucket)
	if err != nil {
		return fmt.Errorf("list manifests: %w", err)
	}
	var highest int64
	if len(numbers) > 0 {
		highest = numbers[0]
	}
	b.seq, err = b.cfg.Publication.Raise(ctx, highest)
	if err != nil {
		return fmt.Errorf("raise publication to %d: %w", highest, err)
	}
	return nil
}

// look compares today's inputs with the published ones, once.
func (b *Builder) look(ctx context.Context) error {
	inputs, err := b.inputs(ctx)
	if err != nil {
		return err
	}
	if !b.published.Inputs.Equal(inputs) {
		return b.consider(ctx, inputs)
	}
	b.wait = nil
	return b.refresh(ctx)
}

// inputs are what a snapshot made now would be made of.
func (b *Builder) inputs(ctx context.Context) (publish.Inputs, error) {
	generation, err := b.cfg.Database.Generation(ctx)
	if err != nil {
		return publish.Inputs{}, fmt.Errorf("read generation: %w", err)
	}
	overrides := b.currentOverrides()
	return publish.Inputs{
		DatabaseID: b.cfg.Database.DatabaseID(), Generation: generation, Active: b.cfg.Active,
		MergeVersion: merge.MergeVersion, OverridesHash: overrides.Hash(), Format: index.Format,
	}, nil
}

// currentOverrides reads the corrections; while they cannot be read, the last
// good ones stay in force.
func (b *Builder) currentOverrides() merge.Overrides {
	now, err := b.cfg.Overrides()
	return b.overrides.take(now, err, func(err error) {
		b.cfg.Log.Error("overrides are not usable; the last good ones stay in force", "error", err)
	})
}

// consider builds if it is time.
func (b *Builder) consider(ctx context.Context, inputs publish.Inputs) error {
	if inputs.Generation == 0 {
		return nil // no listing was ever stored: nothing to show
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

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// lastGood keeps a value that is read again and again and may go bad.
type lastGood[T any] struct {
	value T
	said  string // the failure last reported
}

func (l *lastGood[T]) take(now T, err error, report func(error)) T {
	if err == nil {
		l.value, l.said = now, ""
		return now
	}
	if err.Error() != l.said {
		l.said = err.Error()
		report(err)
	}
	return l.value
}

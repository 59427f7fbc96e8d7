package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"gamedex/bench/sample"
	"gamedex/internal/bucket"
	"gamedex/internal/builder"
	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/publish"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
)

// source is what the program passes to a builder as its database.
type source struct {
	*sqldb.DB
	rates       money.Rates
	loading     *atomic.Bool
	withoutPast bool // it has no history
}

func (d source) Regions(ctx context.Context) ([]catalog.Region, error) {
	return d.DB.Listings.Regions(ctx)
}

func (d source) Newest(ctx context.Context) (epoch string, generation int64, err error) {
	return d.DB.Listings.Newest(ctx)
}

func (d source) Read(ctx context.Context, fn func(builder.Reading) error) error {
	return d.DB.Listings.Read(ctx, func(r *listings.Reading) error {
		if d.withoutPast {
			return fn(withoutPast{r})
		}
		return fn(r)
	})
}

// withoutPast is a reading of a database in which no price ever changed.
type withoutPast struct{ *listings.Reading }

func (withoutPast) AllSeries(func(history.Series) error) error { return nil }

func (withoutPast) Series([]catalog.Key, func(history.Series) error) error { return nil }

func (d source) Rates(context.Context) (money.Rates, error) { return d.rates, nil }

func (d source) Loading(context.Context) (bool, error) { return d.loading.Load(), nil }

// Builder is the product's builder, running in this process. It is not safe for
// concurrent use.
type Builder struct {
	db      *sqldb.DB
	dir     string
	node    *publish.Follower
	live    index.Live
	loading atomic.Bool
	ahead   atomic.Int64 // how far its clock is ahead, so that it need not pause between builds
	reports chan builder.Report
	ended   chan error
	cancel  context.CancelFunc
	failed  error // of node
}

// StartBuilder starts a builder that publishes into dir. It has the rates of the
// sample, and the sample's first four regions are active.
func StartBuilder(ctx context.Context, db *sqldb.DB, dir string) (*Builder, error) {
	return startBuilder(ctx, source{DB: db}, dir)
}

// StartBuilderWithoutPast starts a builder like StartBuilder that reads no past prices,
// so that its snapshots have no lows.
func StartBuilderWithoutPast(ctx context.Context, db *sqldb.DB, dir string) (*Builder, error) {
	return startBuilder(ctx, source{DB: db, withoutPast: true}, dir)
}

func startBuilder(ctx context.Context, from source, dir string) (*Builder, error) {
	rates, err := money.ParseRates([]byte(sample.Rates))
	if err != nil {
		return nil, fmt.Errorf("start builder: %w", err)
	}
	folder, err := bucket.OpenFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("start builder: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	db := from.DB
	b := &Builder{db: db, dir: dir, reports: make(chan builder.Report, 1), ended: make(chan error, 1), cancel: cancel}
	b.node = publish.NewFollower(folder, &b.live, func(err error) { b.failed = err })
	from.rates, from.loading = rates, &b.loading
	builder := builder.New(builder.Config{
		Database: from, Publication: db.Nodes, ServedIDs: db.Listings, Bucket: folder,
		Leases:    lease.Holder{Repository: db.Nodes, ID: dir, TTL: 10 * time.Second},
		Active:    sample.Codes(4),
		Overrides: func(context.Context) (override.Set, error) { return override.Set{}, nil },
		States:    func(context.Context, string) ([]index.PlatformState, error) { return nil, nil },
		Now:       b.now, Clock: b.now,
		Log:     slog.New(slog.DiscardHandler),
		OnBuild: func(report builder.Report) { b.reports <- report },
	})
	go func() { b.ended <- errors.Join(builder.Run(ctx), folder.Close()) }()
	return b, nil
}

// Next waits for the next build.
func (b *Builder) Next(ctx context.Context) (builder.Report, error) {
	select {
	case report := <-b.reports:
		return report, nil
	case err := <-b.ended:
		return builder.Report{}, fmt.Errorf("the builder ended: %w", err)
	case <-ctx.Done():
		return builder.Report{}, ctx.Err()
	}
}

// Change saves listings and waits for the build that contains them all.
func (b *Builder) Change(ctx context.Context, changed []catalog.Listing) (builder.Report, error) {
	if err := b.Save(ctx, changed); err != nil {
		return builder.Report{}, err
	}
	return b.BuildSaved(ctx)
}

// Save saves listings, which are not built before BuildSaved.
func (b *Builder) Save(ctx context.Context, changed []catalog.Listing) error {
	b.loading.Store(true)
	for batch := range slices.Chunk(changed, listings.MaxBatch) {
		if _, err := b.db.Listings.Save(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// BuildSaved waits for the build of what was saved. It sets the builder's clock an hour
// ahead.
func (b *Builder) BuildSaved(ctx context.Context) (builder.Report, error) {
	b.ahead.Add(int64(time.Hour))
	b.loading.Store(false)
	return b.Next(ctx)
}

// NextDay sets the builder's clock to the next midnight of UTC and waits for the build
// that belongs to the new day.
func (b *Builder) NextDay(ctx context.Context) (builder.Report, error) {
	now := b.now()
	b.ahead.Add(int64(now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)))
	return b.Next(ctx)
}

func (b *Builder) now() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) }

// OpenNewest opens the newest published snapshot.
func (b *Builder) OpenNewest(ctx context.Context) (*index.View, error) { return OpenView(ctx, b.dir) }

// Follow opens the newest published snapshot as a node does, which keeps what it has open.
func (b *Builder) Follow(ctx context.Context) error {
	swapped, err := b.node.Poll(ctx)
	if err == nil && !swapped {
		err = cmp.Or(b.failed, errors.New("nothing new is published"))
	}
	return err
}

// Close stops the builder.
func (b *Builder) Close() error {
	b.cancel()
	return <-b.ended
}

// BuildView builds the view of listings as the program does, with its database
// and snapshots in dir.
func BuildView(ctx context.Context, dir string, lines []catalog.Listing) (v *index.View, err error) {
	db, err := sqldb.Open(ctx, "sqlite:"+filepath.Join(dir, "gamedex.db"), engine.Options{Create: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for batch := range slices.Chunk(lines, listings.MaxBatch) {
		if _, err := db.Listings.Save(ctx, batch); err != nil {
			return nil, err
		}
	}
	b, err := StartBuilder(ctx, db, filepath.Join(dir, "snapshots"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if _, err := b.Next(ctx); err != nil {
		return nil, err
	}
	return b.OpenNewest(ctx)
}

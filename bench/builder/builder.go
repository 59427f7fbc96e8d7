package builder

import (
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
	"gamedex/internal/build"
	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/index"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/publish"
	"gamedex/internal/sqldb"
)

// source is the database as the program gives it to a builder.
type source struct {
	*sqldb.DB
	rates   money.Rates
	loading *atomic.Bool
}

func (s source) Read(ctx context.Context, fn func(build.Reading) error) error {
	return s.DB.Read(ctx, func(r *sqldb.Reading) error { return fn(r) })
}

func (s source) Rates(context.Context) (money.Rates, error) { return s.rates, nil }

func (s source) Loading(context.Context) (bool, error) { return s.loading.Load(), nil }

// Running is a builder at work. It is for one goroutine.
type Running struct {
	db      *sqldb.DB
	bucket  *bucket.Folder
	loading atomic.Bool
	ahead   atomic.Int64 // how far the builder's clock is ahead, so that it need not rest
	reports chan build.Report
	ended   chan error
	stop    context.CancelFunc
}

// Start runs a builder that has read nothing and publishes into dir. It has the
// rates of the sample and serves its first four regions.
func Start(ctx context.Context, db *sqldb.DB, dir string) (*Running, error) {
	rates, err := money.ParseRates([]byte(sample.Rates))
	if err != nil {
		return nil, fmt.Errorf("start builder: %w", err)
	}
	folder, err := bucket.OpenFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("start builder: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &Running{db: db, bucket: folder, reports: make(chan build.Report, 1), ended: make(chan error, 1), stop: cancel}
	b := build.New(build.Config{
		Database: source{db, rates, &r.loading}, Publication: db, ServedIDs: db, Bucket: folder,
		Leases:    lease.Holder{Store: db, ID: dir, TTL: 10 * time.Second, Now: func() int64 { return time.Now().UnixMilli() }},
		Active:    sample.Codes(4),
		Overrides: func() (merge.Overrides, error) { return merge.Overrides{}, nil },
		States:    func(context.Context) ([]index.PlatformState, error) { return nil, nil },
		Now:       func() time.Time { return time.Now().Add(time.Duration(r.ahead.Load())) },
		Log:       slog.New(slog.DiscardHandler),
		OnBuild:   func(report build.Report) { r.reports <- report },
	})
	go func() { r.ended <- b.Run(ctx) }()
	return r, nil
}

// Next waits for a build.
func (r *Running) Next(ctx context.Context) (build.Report, error) {
	select {
	case report := <-r.reports:
		return report, nil
	case err := <-r.ended:
		return build.Report{}, fmt.Errorf("the builder ended: %w", err)
	case <-ctx.Done():
		return build.Report{}, ctx.Err()
	}
}

// Change saves listings while the builder holds back, and waits for the build
// that shows them.
func (r *Running) Change(ctx context.Context, changed []catalog.Listing) (build.Report, error) {
	r.loading.Store(true)
	for batch := range slices.Chunk(changed, sqldb.MaxBatch) {
		if _, err := r.db.Save(ctx, batch); err != nil {
			return build.Report{}, err
		}
	}
	r.ahead.Add(int64(time.Hour))
	r.loading.Store(false)
	return r.Next(ctx)
}

// OpenNewest opens what is published now, and tells how long reading and opening
// it took.
func (r *Running) OpenNewest(ctx context.Context) (*index.View, time.Duration, error) {
	m, err := publish.Latest(ctx, r.bucket, func(error) {})
	if err != nil {
		return nil, 0, err
	}
	began := time.Now()
	cards, err := r.bucket.Get(ctx, m.Catalog)
	if err != nil {
		return nil, 0, err
	}
	prices, err := r.bucket.Get(ctx, m.Prices)
	if err != nil {
		return nil, 0, err
	}
	s, err := index.Open(cards, prices)
	if err != nil {
		return nil, 0, err
	}
	return m.View(s), time.Since(began), nil
}

// Close stops the builder.
func (r *Running) Close() error {
	r.stop()
	err := <-r.ended
	if closing := r.bucket.Close(); err == nil {
		err = closing
	}
	return err
}

// Of builds the view of some listings in a new folder, as the program does it,
// with the database and the snapshots in there.
func Of(ctx context.Context, dir string, listings []catalog.Listing) (*index.View, error) {
	v, err := of(ctx, dir, listings)
	if err != nil {
		return nil, fmt.Errorf("build a view of %d listings: %w", len(listings), err)
	}
	return v, nil
}

func of(ctx context.Context, dir string, listings []catalog.Listing) (v *index.View, err error) {
	db, err := sqldb.Open(ctx, "sqlite:"+filepath.Join(dir, "gamedex.db"), sqldb.Options{Create: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for batch := range slices.Chunk(listings, sqldb.MaxBatch) {
		if _, err := db.Save(ctx, batch); err != nil {
			return nil, err
		}
	}
	r, err := Start(ctx, db, filepath.Join(dir, "snapshots"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if _, err := r.Next(ctx); err != nil {
		return nil, err
	}
	v, _, err = r.OpenNewest(ctx)
	return v, err
}

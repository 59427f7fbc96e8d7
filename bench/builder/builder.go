package visible

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"gamedex/bench/sample"
	"gamedex/internal/bucket"
	"gamedex/internal/build"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
)

// source is the database as the program gives it to a builder.
type source struct {
	*sqldb.DB
	loading *atomic.Bool
}

func (s source) Read(ctx context.Context, fn func(build.Reading) error) error {
	return s.DB.Read(ctx, func(r *sqldb.Reading) error { return fn(r) })
}

func (s source) Rates(context.Context) (money.Rates, error) { return money.Rates{}, nil }

func (s source) Loading(context.Context) (bool, error) { return s.loading.Load(), nil }

// running is a builder at work.
type running struct {
	db      *sqldb.DB
	bucket  *bucket.Folder
	loading atomic.Bool
	ahead   atomic.Int64 // how far the builder's clock is ahead, so that it need not rest
	reports chan build.Report
	ended   chan error
	stop    context.CancelFunc
}

// start runs a builder that has read nothing and publishes into dir.
func start(ctx context.Context, db *sqldb.DB, dir string) (*running, error) {
	folder, err := bucket.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &running{db: db, bucket: folder, reports: make(chan build.Report, 1), ended: make(chan error, 1), stop: cancel}
	b := build.New(build.Config{
		Database: source{db, &r.loading}, Publication: db, ServedIDs: db, Bucket: folder,
		Leases:    lease.Holder{Store: db, ID: dir, TTL: 10 * time.Second, Now: func() int64 { return time.Now().UnixMilli() }},
		Active:    sample.Codes(4),
		Overrides: func() (catalog.Overrides, error) { return catalog.Overrides{}, nil },
		States:    func(context.Context) ([]index.PlatformState, error) { return nil, nil },
		Now:       func() time.Time { return time.Now().Add(time.Duration(r.ahead.Load())) },
		Log:       slog.New(slog.DiscardHandler),
		OnBuild:   func(report build.Report) { r.reports <- report },
	})
	go func() { r.ended <- b.Run(ctx) }()
	return r, nil
}

// next waits for a build.
func (r *running) next(ctx context.Context) (build.Report, error) {
	select {
	case report := <-r.reports:
		return report, nil
	case err := <-r.ended:
		return build.Report{}, fmt.Errorf("the builder ended: %w", err)
	case <-ctx.Done():
		return build.Report{}, ctx.Err()
	}
}

// change saves listings while the builder holds back, and waits for the build
// that shows them.
func (r *running) change(ctx context.Context, changed []catalog.Listing) (build.Report, error) {
	r.loading.Store(true)
	for len(changed) > 0 {
		n := min(len(changed), sqldb.MaxBatch)
		if _, err := r.db.Save(ctx, changed[:n]); err != nil {
			return build.Report{}, err
		}
		changed = changed[n:]
	}
	r.ahead.Add(int64(time.Hour))
	r.loading.Store(false)
	return r.next(ctx)
}

// openNewest opens what is published now.
func (r *running) openNewest(ctx context.Context) (*index.Snapshot, time.Duration, error) {
	m, err := index.Latest(ctx, r.bucket, func(error) {})
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
	return s, time.Since(began), err
}

func (r *running) close() error {
	r.stop()
	err := <-r.ended
	if closing := r.bucket.Close(); err == nil {
		err = closing
	}
	return err
}

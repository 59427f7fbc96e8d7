package subjects

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/bench/sample"
	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sweep"
)

// stepSizes are how many listings a step of a sweep has: as many as a small and as a large
// page of a store, and the most that are stored at once.
var stepSizes = []int{100, 1000, listings.MaxBatch}

func sweepOurs(size int) string { return fmt.Sprintf("sweep in steps of %d", size) }
func sweepBare(size int) string { return fmt.Sprintf("bare UPDATE … = ANY of %d rows", size) }

// measurePostgresSweep compares a sweep that finds what is stored with updates that only
// write when the same rows were seen.
func measurePostgresSweep(ctx context.Context, r *harness.Run) (report.Section, error) {
	server, err := r.Postgres(ctx)
	if err != nil {
		return report.Section{}, err
	}
	defer server.Close() // the run closes it too, and returns the error
	s, err := newSweeping(ctx, server, sample.New(r.Seed, harness.Pick(r, 3_000, 10_000)))
	if err != nil {
		return report.Section{}, err
	}
	defer s.close(ctx)
	var candidates []harness.Candidate
	for _, size := range stepSizes {
		candidates = append(candidates,
			s.candidate(sweepBare(size), func(ctx context.Context) error { return s.update(ctx, size) }),
			s.candidate(sweepOurs(size), func(ctx context.Context) error { return s.sweep(ctx, size) }))
	}
	results, err := r.Rounds(ctx, candidates...)
	if err != nil {
		return report.Section{}, err
	}
	var goals []report.Goal
	for _, size := range stepSizes {
		goals = append(goals, report.Goal{What: fmt.Sprintf("rows/s of a sweep / of the bare updates, %d rows each", size), Limit: 0.6, Stretch: 0.75, Unit: "x",
			Figure: results.Ratio(harness.RowsRate, sweepOurs(size), sweepBare(size))})
	}
	return report.Section{
		Title: "A sweep that changes nothing, in PostgreSQL",
		Intro: fmt.Sprintf("%d listings in four regions are seen again, and all is as it was. A step of a sweep checks that its lease still counts, locks its region, "+
			"takes a digest of what the store shows of each listing, stores with one UPDATE when those were seen whose digest has confirmed them before (here all), and moves the sweep's cursor. "+
			"The bare side writes the same three columns of the same rows of the same table: one UPDATE … WHERE product = ANY(…) in a transaction for each step. "+
			"Both sides over a Unix socket, with fsync, after a VACUUM ANALYZE and a checkpoint, and after %d sweeps, so that nearly all updates stay in their page.", s.count, settlingSweeps),
		Goals: goals,
		Tried: "Sending the statements of a step together (pipelining) saves 4 % of the CPU, an UPDATE without RETURNING 5 %, one digest less 1 %. The rest is work that the bare side does not do: " +
			"a digest of each listing, which the UPDATE compares before it writes.",
		Tables: []report.Table{report.Compare("Ratios are to the largest bare updates.", results, sweepBare(listings.MaxBatch), harness.RowsRate, rowOwnCPU, rowServerCPU)},
	}, nil
}

// sweeping is a database whose listings are swept again and again.
type sweeping struct {
	db     *sqldb.DB
	conn   *pgx.Conn // of the bare updates
	server harness.Postgres
	count  int
	places map[listings.PlatformRegion][]sweep.Part
	leases map[sweep.Scope]lease.Lease
	at     catalog.Millis // of the last sweep
}

// newSweeping fills a database with a sample, which a first sweep finds.
func newSweeping(ctx context.Context, server harness.Postgres, from *sample.Sample) (*sweeping, error) {
	dsn, err := server.NewDatabase(ctx, "sweeps")
	if err != nil {
		return nil, err
	}
	s := &sweeping{server: server, at: sample.Observed(), places: map[listings.PlatformRegion][]sweep.Part{}, leases: map[sweep.Scope]lease.Lease{}}
	const everyField = sweep.ShowsPopularity<<1 - 1
	for l := range from.Listings(4) {
		at := listings.PlatformRegion{Platform: l.Platform, Region: l.Region}
		s.places[at] = append(s.places[at], sweep.Part{Listing: *l, Shows: everyField})
		s.places[at][len(s.places[at])-1].ObservedAt = s.at // the sample's were seen one by one
		s.count++
	}
	if s.conn, err = pgx.Connect(ctx, dsn); err != nil {
		return nil, err
	}
	if s.db, err = sqldb.Open(ctx, dsn, engine.Options{Create: true}); err != nil {
		s.conn.Close(ctx)
		return nil, err
	}
	if err := s.begin(ctx); err != nil {
		s.close(ctx)
		return nil, err
	}
	return s, nil
}

func (s *sweeping) close(ctx context.Context) {
	s.conn.Close(ctx)
	s.db.Close()
}

// settlingSweeps are how many sweeps confirm all listings before anything is measured. The
// first ones move most rows to other pages, and write to indexes. Once each page has room for
// new versions of its rows, an update stays in the page, as in a service that has run for a day.
const settlingSweeps = 8

// begin starts the sweeps of all places, stores the listings with them, and confirms them.
func (s *sweeping) begin(ctx context.Context) error {
	jobs := map[catalog.Platform][]sweep.State{}
	for at := range s.places {
		jobs[at.Platform] = append(jobs[at.Platform], sweep.State{Scope: scopeOf(at), Regions: []catalog.Region{at.Region}, Interval: 3_600_000})
	}
	for platform, list := range jobs {
		if err := s.db.Sweeps.SetCollection(ctx, sweep.Collection{Platform: platform}, list); err != nil {
			return err
		}
	}
	for at := range s.places {
		scope := scopeOf(at)
		held, ok, err := s.db.Sweeps.Leases().Claim(ctx, "collect/"+scope.String(), "bench", 24*time.Hour)
		if err == nil && !ok {
			err = fmt.Errorf("the lease of %s is held", scope)
		}
		if err == nil {
			err = s.db.Sweeps.BeginSweep(ctx, held, scope, s.at)
		}
		if err != nil {
			return err
		}
		s.leases[scope] = held
	}
	if err := s.sweep(ctx, listings.MaxBatch); err != nil {
		return err
	}
	for range settlingSweeps {
		s.wait()
		if err := s.sweep(ctx, listings.MaxBatch); err != nil {
			return err
		}
	}
	return nil
}

// wait lets an hour pass, after which all listings are seen again.
func (s *sweeping) wait() {
	s.at += 3_600_000
	for _, parts := range s.places {
		for i := range parts {
			parts[i].ObservedAt = s.at
		}
	}
}

func scopeOf(at listings.PlatformRegion) sweep.Scope {
	return sweep.Scope{Platform: at.Platform, Region: at.Region, Kind: sweep.Prices}
}

// candidate measures f, which sees all listings again an hour later.
func (s *sweeping) candidate(name string, f func(context.Context) error) harness.Candidate {
	return harness.Candidate{Name: name, Round: func(ctx context.Context) (harness.Values, error) {
		for _, text := range []string{"VACUUM ANALYZE listing", "CHECKPOINT"} {
			if _, err := s.conn.Exec(ctx, text); err != nil {
				return nil, err
			}
		}
		s.wait()
		v, err := measureRows(s.server.PID, s.count, func() error { return f(ctx) })
		if err != nil {
			return nil, err
		}
		return v, s.check(ctx)
	}}
}

// check checks that all listings were seen just now, and that nothing else has changed since
// they were stored.
func (s *sweeping) check(ctx context.Context) error {
	var seen int
	err := s.conn.QueryRow(ctx, "SELECT count(*) FROM listing WHERE seen_at = $1 AND swept_by = $2 AND swept_at = $1 AND observed_at = $3",
		int64(s.at), int64(sweep.Prices), int64(sample.Observed())).Scan(&seen)
	if err == nil && seen != s.count {
		err = fmt.Errorf("%d of %d listings were seen at %d and are unchanged", seen, s.count, s.at)
	}
	return err
}

// sweep stores a whole sweep of each place in steps.
func (s *sweeping) sweep(ctx context.Context, size int) error {
	for at, parts := range s.places {
		batch := sweep.Batch{Scope: scopeOf(at), Regions: []catalog.Region{at.Region}, At: s.at, Requests: 1}
		for batch.Parts = range slices.Chunk(parts, size) {
			if _, err := s.db.Sweeps.SaveBatch(ctx, s.leases[batch.Scope], batch, sweep.Rules{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// update writes what a sweep writes to the listings of each place.
func (s *sweeping) update(ctx context.Context, size int) error {
	const text = "UPDATE listing SET seen_at = $4, swept_by = $5, swept_at = $6 WHERE platform = $1 AND region = $2 AND product = ANY($3)"
	for at, parts := range s.places {
		for batch := range slices.Chunk(parts, size) {
			products := make([]string, len(batch))
			for i := range batch {
				products[i] = batch[i].Product
			}
			err := pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, text, int64(at.Platform), at.Region.String(), products, int64(s.at), int64(sweep.Prices), int64(s.at))
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

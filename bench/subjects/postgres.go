package subjects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/bench/sample"
	"gamedex/internal/catalog"
	"gamedex/internal/feed/importer"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

// What a row costs: in this process, and in all processes of the server.
const (
	rowOwnCPU    harness.Metric = "CPU µs/row"
	rowServerCPU harness.Metric = "CPU µs/row of the server"
)

// embedded stands for the process id of the server of a database that has none.
const embedded = 0

// measureRows calls op, which writes rows into a database, and measures [harness.RowsRate]
// and the CPU of this process and of the database's server.
func measureRows(server, rows int, op func() error) (harness.Values, error) {
	before, err := serverCPU(server)
	if err != nil {
		return nil, err
	}
	v, err := harness.Measure(op)
	if err != nil {
		return nil, err
	}
	after, err := serverCPU(server)
	return harness.Values{
		harness.RowsRate: float64(rows) / v[harness.Time] * 1000,
		rowOwnCPU:        v[harness.CPUTotal] / float64(rows) * 1000,
		rowServerCPU:     float64((after - before).Microseconds()) / float64(rows),
	}, err
}

func serverCPU(server int) (time.Duration, error) {
	if server == embedded {
		return 0, nil
	}
	return harness.CPUTime(server)
}

// measurePostgres measures what listings cost in PostgreSQL: space, and what is written
// ahead for changes. doc/scale.md starts from these figures.
func measurePostgres(ctx context.Context, r *harness.Run) (report.Section, error) {
	server, err := r.Postgres(ctx, "fsync=off")
	if err != nil {
		return report.Section{}, err
	}
	defer server.Close() // the run closes it too, and returns the error
	dsn, err := server.NewDatabase(ctx, "listings")
	if err != nil {
		return report.Section{}, err
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return report.Section{}, err
	}
	defer conn.Close(ctx)
	db, err := sqldb.Open(ctx, dsn, engine.Options{Create: true})
	if err != nil {
		return report.Section{}, err
	}
	defer db.Close()
	in, err := newImportInput(sample.New(r.Seed, harness.Pick(r, 4_000, 50_000)))
	if err != nil {
		return report.Section{}, err
	}
	passes, err := in.postgresPasses(r.Rng(11))
	if err != nil {
		return report.Section{}, err
	}
	wal := report.Table{Head: []string{"", "lines", "changed", "lines/s", "WAL bytes a line", "whole pages a line"}}
	tables := []report.Table{wal}
	for i, pass := range passes {
		row, err := runPostgresPass(ctx, conn, db, pass)
		if err != nil {
			return report.Section{}, fmt.Errorf("%s: %w", pass.name, err)
		}
		tables[0].Rows = append(tables[0].Rows, row)
		if i == 0 || i == len(passes)-1 {
			size, err := sizes(ctx, dsn, len(in.rows))
			if err != nil {
				return report.Section{}, err
			}
			size.Caption = "Bytes a listing after " + pass.name + ":"
			tables = append(tables, size)
		}
	}
	return report.Section{
		Title: "Listings in PostgreSQL",
		Intro: fmt.Sprintf("%d listings, four regions, over a Unix socket, without fsync. Before each pass there is a checkpoint, so the first change of a page writes the whole "+
			"page ahead, as after every checkpoint in production. A pass from the top reads the lines in the order in which they are stored; one at random changes one line in a hundred. "+
			"Sizes are those after a VACUUM.", len(in.rows)),
		Tables: tables,
	}, nil
}

// postgresPass is a feed that is imported.
type postgresPass struct {
	name  string
	lines int
	text  []byte
}

func (in *importInput) postgresPasses(rng *rand.Rand) ([]postgresPass, error) {
	var some []catalog.Listing
	for _, l := range in.rows {
		if l.Price != nil && l.Price.Base.Known() && rng.IntN(100) == 0 {
			some = append(some, l)
		}
	}
	rng.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	random, err := writeFeed(some, func(l *catalog.Listing) {
		l.ObservedAt += 3 * 3_600_000
		p := *l.Price
		p.Base, p.Current, p.BaseText, p.CurrentText = p.Base+200, p.Current+200, "", ""
		p.DiscountPercent = catalog.NoPercent
		l.Price = &p
	})
	return []postgresPass{
		{"new listings", len(in.rows), in.first},
		{"all seen again, nothing changed", len(in.rows), in.seen},
		{"all seen again, all known prices changed", len(in.rows), in.dearer},
		{"one price in a hundred changed, at random", len(some), random},
	}, err
}

func runPostgresPass(ctx context.Context, conn *pgx.Conn, db *sqldb.DB, pass postgresPass) ([]string, error) {
	const written = "SELECT wal_bytes::float8, wal_fpi::float8 FROM pg_stat_wal"
	if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "SELECT pg_stat_reset_shared('wal')"); err != nil {
		return nil, err
	}
	open := func(context.Context, string) (io.ReadCloser, int64, error) {
		return io.NopCloser(bytes.NewReader(pass.text)), int64(len(pass.text)), nil
	}
	began := time.Now()
	sum, err := importer.Import(ctx, db.Listings, importer.Options{Inputs: []string{"feed"}, Now: time.Now, Open: open})
	took := time.Since(began)
	if err != nil {
		return nil, err
	}
	if saved := sum.Saved.New + sum.Saved.Changed + sum.Saved.Unchanged; saved != pass.lines {
		return nil, fmt.Errorf("%d of %d lines are saved: %+v", saved, pass.lines, sum)
	}
	time.Sleep(2 * time.Second) // backends report what they have written when they are idle
	var bytes, pages float64
	if err := conn.QueryRow(ctx, written).Scan(&bytes, &pages); err != nil {
		return nil, err
	}
	n := float64(pass.lines)
	return []string{pass.name, fmt.Sprint(pass.lines), fmt.Sprint(sum.Saved.New + sum.Saved.Changed), report.Number(n / took.Seconds()),
		report.Number(bytes / n), report.Number(pages / n)}, nil
}

// sizes returns a table of what a listing takes on disk.
func sizes(ctx context.Context, dsn string, listings int) (_ report.Table, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return report.Table{}, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	if _, err := conn.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return report.Table{}, err
	}
	rows, err := conn.Query(ctx, `SELECT relname::text, GREATEST(reltuples, 0)::float8, pg_table_size(oid)::float8, pg_indexes_size(oid)::float8
		FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_total_relation_size(oid) > 1000000 ORDER BY pg_total_relation_size(oid) DESC`)
	if err != nil {
		return report.Table{}, err
	}
	t := report.Table{Head: []string{"table", "rows", "table", "indexes"}}
	var all [2]float64
	var name string
	var count, table, indexes float64
	_, err = pgx.ForEachRow(rows, []any{&name, &count, &table, &indexes}, func() error {
		t.Rows = append(t.Rows, []string{name, report.Number(count), report.Number(table / float64(listings)), report.Number(indexes / float64(listings))})
		all[0], all[1] = all[0]+table, all[1]+indexes
		return nil
	})
	t.Rows = append(t.Rows, []string{"all", "", report.Number(all[0] / float64(listings)), report.Number(all[1] / float64(listings))})
	return t, err
}

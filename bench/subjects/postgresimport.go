package subjects

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/bench/sample"
)

const (
	inPostgres = "PostgreSQL: "
	inSQLite   = "SQLite: "
)

// measurePostgresImport compares an import into PostgreSQL with a bare loop of upserts on
// the same server, and with the import into a file.
func measurePostgresImport(ctx context.Context, r *harness.Run) (report.Section, error) {
	in, err := newImportInput(sample.New(r.Seed, harness.Pick(r, 4_000, 25_000)))
	if err != nil {
		return report.Section{}, err
	}
	server, err := r.Postgres(ctx)
	if err != nil {
		return report.Section{}, err
	}
	defer server.Close() // the run closes it too, and returns the error
	results := harness.NewResults(inPostgres+importNew, inPostgres+upsertNew, inSQLite+importNew, inPostgres+importSame, inSQLite+importSame,
		inPostgres+importSeen, inSQLite+importSeen, inPostgres+importRepriced, inSQLite+importRepriced, inPostgres+upsertAgain)
	rounds, err := runImportRounds(r,
		func() error {
			return inDatabase(ctx, server, func(dsn string) error { return in.runImports(ctx, dsn, inPostgres, server.PID, results) })
		},
		func() error {
			return inDatabase(ctx, server, func(dsn string) error {
				db, err := alternatives.OpenPostgresUpserts(ctx, dsn)
				if err != nil {
					return err
				}
				return in.runUpserts(ctx, db, inPostgres, server.PID, results)
			})
		},
		func() error {
			return inFolder(r, func(dir string) error {
				return in.runImports(ctx, "sqlite:"+filepath.Join(dir, "gamedex.db"), inSQLite, embedded, results)
			})
		})
	if err != nil {
		return report.Section{}, err
	}
	return report.Section{
		Title: "Import into PostgreSQL",
		Intro: fmt.Sprintf("%d listings, four regions, over a Unix socket, with fsync: every commit of all sides is on disk before it is counted. "+
			"The import parses and checks lines, stores details by content, finds out what is new or outdated, records price changes and counts generations. "+
			"The bare loop writes parsed rows into one table with one index, with one INSERT … SELECT FROM unnest(…) ON CONFLICT for each transaction; "+
			"its transactions have as many rows as those of the import. %d rounds, each with new databases, after a checkpoint.", len(in.rows), rounds),
		Goals: []report.Goal{
			{What: "rows/s of an import of new listings / of the bare loop", Limit: 0.6, Stretch: 0.8, Unit: "x",
				Figure: results.Ratio(harness.RowsRate, inPostgres+importNew, inPostgres+upsertNew)},
			{What: "rows/s of an import of new listings into PostgreSQL / into SQLite", Limit: 0.4, Stretch: 0.7, Unit: "x",
				Figure: results.Ratio(harness.RowsRate, inPostgres+importNew, inSQLite+importNew)},
		},
		Tables: []report.Table{report.Compare("", results, inPostgres+upsertNew, harness.RowsRate, rowOwnCPU, rowServerCPU)},
	}, nil
}

// inDatabase calls f with the DSN of a new database, which it drops. Before, the server
// writes to disk what others have left.
func inDatabase(ctx context.Context, server harness.Postgres, f func(dsn string) error) error {
	const name = "bench"
	dsn, err := server.NewDatabase(ctx, name)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, server.DSN("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
		return err
	}
	err = f(dsn)
	_, dropping := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
	return errors.Join(err, dropping)
}

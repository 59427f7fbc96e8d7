package sqldb

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// schemaTable is where the applied migrations are written down.
const schemaTable = "schema_version"

// upToDate reports whether a file of ours has today's schema, and its id, which
// is the last thing that migrate gives it. It refuses a file that a newer
// version made, and a damaged one.
func upToDate(ctx context.Context, path string) (done bool, err error) {
	err = withPool(path, func(pool *sql.DB) error {
		if err := quickCheck(ctx, pool, path); err != nil {
			return err
		}
		var tables int
		err := pool.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = $1", schemaTable).Scan(&tables)
		if err != nil || tables == 0 {
			return err
		}
		if done, err = sameVersion(ctx, pool, path); err != nil || !done {
			return err
		}
		return pool.QueryRowContext(ctx, "SELECT count(*) > 0 FROM meta WHERE name = 'database_id'").Scan(&done)
	})
	return done, err
}

func sameVersion(ctx context.Context, pool *sql.DB, path string) (bool, error) {
	provider, err := newProvider(pool)
	if err != nil {
		return false, err
	}
	has, want, err := provider.GetVersions(ctx)
	if err != nil {
		return false, err
	}
	if has > want {
		return false, fmt.Errorf("%s was made by a newer gamedex (schema %d, this one knows %d); use that version, or put a backup in its place",
			path, has, want)
	}
	return has == want, nil
}

// migrate applies what is missing and gives a new database its id. Only one
// process may be here at a time.
func migrate(ctx context.Context, path string, random io.Reader) error {
	return withPool(path, func(pool *sql.DB) error {
		provider, err := newProvider(pool)
		if err != nil {
			return err
		}
		if _, err := provider.Up(ctx); err != nil {
			return fmt.Errorf("bring %s up to date: %w", path, err)
		}
		id, err := newDatabaseID(random)
		if err != nil {
			return err
		}
		_, err = pool.ExecContext(ctx,
			"INSERT INTO meta (name, value) VALUES ('database_id', $1) ON CONFLICT (name) DO NOTHING", id)
		return err
	})
}

func newProvider(pool *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, pool, files,
		goose.WithTableName(schemaTable), goose.WithDisableGlobalRegistry(true))
}

// withPool runs fn with a pool of its own; an error about the file names it.
func withPool(path string, fn func(*sql.DB) error) error {
	pool, err := connector(path, "_txlock=immediate")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	err = fn(pool)
	if way := wayOut(err); way != "" {
		err = fmt.Errorf("%s %s: %w", path, way, err)
	}
	return errors.Join(err, pool.Close())
}

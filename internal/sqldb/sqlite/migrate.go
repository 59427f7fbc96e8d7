package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/pressly/goose/v3"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/upgrade"
)

//go:embed migrations/*.sql
var migrations embed.FS

// schemaTable is the table of the applied migrations.
const schemaTable = "schema_version"

// upToDate reports whether a database has at least the current schema, and its id, which
// migrate inserts last. It refuses a damaged file, one that a newer version wrote and
// this one cannot run on, and with keep an older schema.
func upToDate(ctx context.Context, path string, alone, keep bool) (done bool, err error) {
	err = withPool(path, alone, func(pool *sql.DB) error {
		st, err := os.Stat(path)
		if err != nil {
			return err
		}
		verdict := "ok"
		if st.Size() <= smallFile {
			if err := pool.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
				return err
			}
		}
		if verdict != "ok" {
			verdict = strings.Join(strings.Fields(verdict), " ")
			return fmt.Errorf("%s is damaged (%s); put a backup in its place, or move it away and import again", path, verdict)
		}
		var tables int
		err = pool.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = $1", schemaTable).Scan(&tables)
		switch {
		case err == nil && tables == 0 && keep:
			return missing(path)
		case err != nil || tables == 0:
			return err
		}
		provider, err := newProvider(pool)
		if err != nil {
			return err
		}
		has, want, err := provider.GetVersions(ctx)
		switch {
		case err != nil:
			return err
		case has < want && keep:
			return engine.OlderSchema(path, has, want)
		case has < want:
			return nil
		case has > want:
			var oldest int64
			if err := pool.QueryRowContext(ctx, engine.SelectOldest).Scan(&oldest); err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			if err := engine.CheckVersion(path, has, want, oldest); err != nil {
				return err
			}
		}
		return pool.QueryRowContext(ctx, "SELECT count(*) > 0 FROM meta WHERE name = 'database_id'").Scan(&done)
	})
	return done, err
}

// migrate applies the missing migrations and generates the id of a new database.
// The caller holds the lock.
func migrate(ctx context.Context, path string, random io.Reader) error {
	return withPool(path, false, func(pool *sql.DB) error {
		provider, err := newProvider(pool)
		if err != nil {
			return err
		}
		if _, err := provider.Up(ctx); err != nil {
			return fmt.Errorf("migrate %s: %w", path, err)
		}
		id, err := engine.DrawID(random)
		if err != nil {
			return err
		}
		_, err = pool.ExecContext(ctx, engine.InsertID, id)
		return err
	})
}

func newProvider(pool *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, pool, files,
		goose.WithTableName(schemaTable), goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(upgrade.Migrations()...))
}

// withPool runs fn with a separate pool; an error about the file names it.
func withPool(path string, alone bool, fn func(*sql.DB) error) error {
	pool, err := connector(path, alone, "_txlock=immediate")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	err = fn(pool)
	if remedy := remedy(err); remedy != "" {
		err = fmt.Errorf("%s %s: %w", path, remedy, err)
	}
	return errors.Join(err, pool.Close())
}

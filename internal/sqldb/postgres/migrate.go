package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/upgrade"
)

//go:embed migrations/*.sql
var migrations embed.FS

// schemaLock is the table with the lock of the process that applies migrations.
const schemaLock = "schema_lock"

const appliedVersion = "SELECT COALESCE(max(version_id), 0) FROM " + upgrade.SchemaTable + " WHERE is_applied"

// SchemaVersion returns the number of the newest migration.
func SchemaVersion() int64 {
	files, _ := fs.Glob(migrations, "migrations/*.sql") // the pattern is correct; the names sort by number
	number, _ := goose.NumericComponent(files[len(files)-1])
	return number
}

var created = regexp.MustCompile(`(?m)^CREATE (?:TABLE|INDEX) "?(\w+)`)

// relationNames returns the names of all tables and indexes that migrations create.
func relationNames() (names []string) {
	files, _ := fs.Glob(migrations, "migrations/*.sql") // the pattern is correct
	for _, file := range files {
		text, _ := migrations.ReadFile(file)
		for _, match := range created.FindAllSubmatch(text, -1) {
			names = append(names, string(match[1]))
		}
	}
	return names
}

// migrate applies the missing migrations and returns the database's id, which it
// generates for a new one. A process that migrates at the same time makes it wait.
func (db *DB) migrate(ctx context.Context, s server, random io.Reader) (id string, err error) {
	if !s.create {
		return "", fmt.Errorf("database %s does not let role %s create tables in schema %s; as its owner: GRANT CREATE ON SCHEMA %s TO %s",
			db.name, s.role, s.schema, quote(s.schema), quote(s.role))
	}
	locker, err := lock.NewPostgresTableLocker(lock.WithTableName(schemaLock), lock.WithTableLogger(slog.New(slog.DiscardHandler)),
		lock.WithTableLockTimeout(250*time.Millisecond, 2400), lock.WithTableRetryPolicy(isHeld))
	if err != nil {
		return "", err
	}
	pool := stdlib.OpenDBFromPool(db.pool)
	provider, err := upgrade.NewProvider(goose.DialectPostgres, pool, migrations, goose.WithLocker(locker))
	if err != nil {
		return "", errors.Join(err, pool.Close())
	}
	_, err = provider.Up(ctx)
	if err := errors.Join(err, pool.Close()); err != nil {
		return "", fmt.Errorf("migrate %s: %w", db.name, err)
	}
	if id, err = engine.DrawID(random); err != nil {
		return "", err
	}
	if _, err := db.pool.Exec(ctx, engine.InsertID, id); err != nil {
		return "", err
	}
	err = db.pool.QueryRow(ctx, engine.SelectID).Scan(&id) // another process may have stored its own
	return id, err
}

// isHeld reports whether a lock could not be taken because another process has it.
// After an error of the server or the network the lock is not tried again.
func isHeld(err error) bool { return code(err) == "" && strings.Contains(err.Error(), "already held") }

// CheckStructure adds nothing: the server checks its pages itself, as it reads them.
func (db *DB) CheckStructure(context.Context, engine.Querier, *engine.Faults) error { return nil }

// Erase does nothing: deleted rows stay in the server's files and its log until the
// server reuses them.
func (db *DB) Erase(context.Context) error { return nil }

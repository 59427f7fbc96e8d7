package sqldb

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gamedex/internal/sqldb/accounts"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sqldb/nodes"
	"gamedex/internal/sqldb/postgres"
	"gamedex/internal/sqldb/sqlite"
	"gamedex/internal/sqldb/sweeps"
	"gamedex/internal/sqldb/transfer"
	"gamedex/internal/sqldb/webhooks"
)

// DB is an open database with a repository for each subject.
type DB struct {
	*engine.DB
	Name     string     // the file, or hosts and database, for messages
	File     *sqlite.DB // what only a database in a file can do; nil for other engines
	Listings *listings.Repository
	Sweeps   *sweeps.Repository
	Accounts *accounts.Repository
	Nodes    *nodes.Repository
	Webhooks *webhooks.Repository

	whole engine.Engine // for Copy
}

// SchemaVersion returns the number of the schema that this program makes, on both engines.
func SchemaVersion() int64 { return postgres.SchemaVersion() }

// Open opens the database that dsn names: "sqlite:PATH", see sqlite.Open, or
// "postgres://…", see postgres.Open.
func Open(ctx context.Context, dsn string, opts engine.Options) (*DB, error) {
	if err := CheckDSN(dsn); err != nil {
		return nil, err
	}
	if OnServer(dsn) {
		server, err := postgres.Open(ctx, dsn, opts)
		if err != nil {
			return nil, err
		}
		return withRepositories(server, server.Name()), nil
	}
	file, err := sqlite.Open(ctx, strings.TrimPrefix(dsn, "sqlite:"), opts)
	if err != nil {
		return nil, err
	}
	db := withRepositories(file, file.Path())
	db.File = file
	return db, nil
}

// CheckDSN returns what is wrong with a DSN. It opens nothing.
func CheckDSN(dsn string) error {
	if OnServer(dsn) {
		return postgres.CheckDSN(dsn)
	}
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); !ok || path == "" {
		err := errors.New("must be sqlite:PATH or postgres://USER@HOST/DATABASE")
		if shown, _, _ := strings.Cut(dsn, "//"); !strings.ContainsAny(shown, "@=") { // else it may have a password
			err = fmt.Errorf("%q: %w", shown, err)
		}
		return err
	}
	return nil
}

// OnServer reports whether a DSN names a database on a server, which other machines can
// use.
func OnServer(dsn string) bool {
	scheme, _, _ := strings.Cut(dsn, ":")
	return scheme == "postgres" || scheme == "postgresql"
}

// withRepositories returns the DB of an open engine. The name is for messages.
func withRepositories(whole engine.Engine, name string) *DB {
	db := engine.New(whole)
	ls := listings.New(db)
	return &DB{DB: db, Name: name, Listings: ls, Sweeps: sweeps.New(db, ls), Accounts: accounts.New(db), Nodes: nodes.New(db), Webhooks: webhooks.New(db), whole: whole}
}

// Copy copies everything but leases into an empty database; see transfer.Copy.
func (db *DB) Copy(ctx context.Context, to *DB, progress func(transfer.Progress)) (transfer.Counts, error) {
	return transfer.Copy(ctx, "copy "+db.Name+" to "+to.Name, db.whole, to.whole, progress)
}

// Check reads the whole database and returns its faults, as engine.DB.Check does,
// with the checks of the repositories.
func (db *DB) Check(ctx context.Context) ([]string, error) {
	return db.DB.Check(ctx, listings.Check, accounts.Check)
}

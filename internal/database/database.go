package database

import (
	"context"
	"fmt"
	"strings"

	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/accounts"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sqldb/nodes"
	"gamedex/internal/sqldb/postgres"
	"gamedex/internal/sqldb/sqlite"
	"gamedex/internal/sqldb/sweeps"
)

// DB is an open database with a store for each subject.
type DB struct {
	*sqldb.DB
	File     *sqlite.DB // what only a database in a file can do; nil for other engines
	Listings *listings.Store
	Sweeps   *sweeps.Store
	Accounts *accounts.Store
	Nodes    *nodes.Store
}

// Open opens the database that dsn names: "sqlite:PATH", see sqlite.Open, or
// "postgres://…", see postgres.Open.
func Open(ctx context.Context, dsn string, opts sqldb.Options) (*DB, error) {
	scheme, rest, _ := strings.Cut(dsn, ":")
	switch {
	case scheme == "postgres" || scheme == "postgresql":
		server, err := postgres.Open(ctx, dsn, opts)
		if err != nil {
			return nil, err
		}
		return withStores(sqldb.New(server)), nil
	case scheme != "sqlite" || rest == "":
		scheme, _, _ = strings.Cut(dsn, "//") // what follows may have a password
		return nil, fmt.Errorf("database %q: want sqlite:PATH or postgres://…", scheme)
	}
	file, err := sqlite.Open(ctx, rest, opts)
	if err != nil {
		return nil, err
	}
	db := withStores(sqldb.New(file))
	db.File = file
	return db, nil
}

func withStores(db *sqldb.DB) *DB {
	ls := listings.New(db)
	return &DB{DB: db, Listings: ls, Sweeps: sweeps.New(db, ls), Accounts: accounts.New(db), Nodes: nodes.New(db)}
}

// Check reads the whole database and returns its faults, as sqldb.DB.Check does,
// with the checks of the stores.
func (db *DB) Check(ctx context.Context) ([]string, error) {
	return db.DB.Check(ctx, listings.Check, accounts.Check)
}

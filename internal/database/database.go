package database

import (
	"context"

	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/accounts"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sqldb/nodes"
	"gamedex/internal/sqldb/sweeps"
)

// DB is an open database with a store for each subject.
type DB struct {
	*sqldb.DB
	Listings *listings.Store
	Sweeps   *sweeps.Store
	Accounts *accounts.Store
	Nodes    *nodes.Store
}

// Open opens the database that dsn names, as sqldb.Open does.
func Open(ctx context.Context, dsn string, opts sqldb.Options) (*DB, error) {
	db, err := sqldb.Open(ctx, dsn, opts)
	if err != nil {
		return nil, err
	}
	ls := listings.New(db)
	return &DB{DB: db, Listings: ls, Sweeps: sweeps.New(db, ls), Accounts: accounts.New(db), Nodes: nodes.New(db)}, nil
}

// Check reads the whole database and returns its faults, as sqldb.DB.Check does,
// with the checks of the stores.
func (db *DB) Check(ctx context.Context) ([]string, error) {
	return db.DB.Check(ctx, listings.Check, accounts.Check)
}

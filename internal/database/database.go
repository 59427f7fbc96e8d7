package database

import (
	"context"

	"gamedex/internal/sqldb"
)

// DB is an open database with a store for each subject.
type DB struct {
	*sqldb.DB
	Listings *sqldb.DB
	Sweeps   *sqldb.DB
	Accounts *sqldb.DB
	Nodes    *sqldb.DB
}

// Open opens the database that dsn names, as sqldb.Open does.
func Open(ctx context.Context, dsn string, opts sqldb.Options) (*DB, error) {
	db, err := sqldb.Open(ctx, dsn, opts)
	if err != nil {
		return nil, err
	}
	return &DB{DB: db, Listings: db, Sweeps: db, Accounts: db, Nodes: db}, nil
}

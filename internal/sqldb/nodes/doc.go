// Package nodes holds the SQL of the state that processes share: the processes
// themselves, leases, marks of running imports, the number of the newest publication,
// exchange rates (the present ones, and the last of each UTC day), overrides of platform
// states, and the pace of requests to a host.
//
//	lease.Holder, registry, builder, rates, upstream ─► Repository ─► engine.DB.Write
//
// The package refuses to decide who may claim a lease and which nodes count: packages
// lease and registry do.
package nodes

import (
	"context"

	"gamedex/internal/sqldb/engine"
)

// Repository runs the statements on a database.
type Repository struct {
	// Released is called with the name of a lease in the transaction that releases it. Set it before any call.
	Released func(ctx context.Context, t *engine.Tx, name string) error

	db *engine.DB
}

// New returns a repository in db.
func New(db *engine.DB) *Repository {
	return &Repository{db: db, Released: func(context.Context, *engine.Tx, string) error { return nil }}
}

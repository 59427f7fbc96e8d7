package sweeps

import (
	"context"

	"gamedex/internal/lease"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sqldb/nodes"
)

// Store runs the statements on a database.
type Store struct {
	db       *sqldb.DB
	listings *listings.Store
}

// New returns a store in db, which saves listings by ls.
func New(db *sqldb.DB, ls *listings.Store) *Store { return &Store{db, ls} }

// Leases are the leases of scopes. They implement lease.Store.
type Leases struct{ *nodes.Store }

// Leases returns the leases of scopes, which are rows beside those of nodes.
func (store *Store) Leases() Leases { return Leases{nodes.New(store.db)} }

// Release stores l, if the lease is still held with l's token. The lease of a
// scope that did not fail is due no later than the first of its items.
func (leases Leases) Release(ctx context.Context, l lease.Lease) (ok bool, err error) {
	return leases.ReleaseThen(ctx, l, dueWithItems)
}

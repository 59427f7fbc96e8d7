// Package sweeps holds the SQL of collection: the jobs, the progress of their
// sweeps, and the items to read.
//
//	collect ─► BeginSweep
//	           SaveStep, SaveStep … ─► listings.Saving + progress + items, one transaction each
//	           FinishSweep ─► withdraws what the sweep owns and did not see
//
// A step is stored only while the scope's lease is held.
//
// The package refuses to decide how much a sweep may withdraw and what it owns:
// package sweep does.
package sweeps

import (
	"context"

	"gamedex/internal/lease"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sqldb/nodes"
)

// Store runs the statements on a database.
type Store struct {
	db       *engine.DB
	listings *listings.Store
	news     news
}

// New returns a store in db that saves listings with ls.
func New(db *engine.DB, ls *listings.Store) *Store { return &Store{db: db, listings: ls} }

// Leases are the leases of scopes. They implement lease.Store.
type Leases struct{ *nodes.Store }

// Leases returns the leases of scopes, which are rows beside those of nodes.
func (store *Store) Leases() Leases { return Leases{nodes.New(store.db)} }

// Release stores l without a holder, if l's holder still holds it. The lease of a
// scope that did not fail is due no later than the first of its items.
func (leases Leases) Release(ctx context.Context, l lease.Lease) (ok bool, err error) {
	return leases.ReleaseThen(ctx, l, dueWithItems)
}

// Package sweeps holds the SQL of collection: the jobs, the progress of their
// sweeps, and the items to read.
//
//	collect ─► BeginSweep
//	           SaveBatch, SaveBatch … ─► listings.Saving + progress + items, one transaction each
//	           FinishSweep ─► withdraws what the sweep owns and did not see, and
//	                          removes the prices that it no longer found
//
// A batch is stored only while the scope's lease is held.
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

// Repository runs the statements on a database.
type Repository struct {
	db       *engine.DB
	listings *listings.Repository
	news     news
}

// New returns a repository in db that saves listings with ls.
func New(db *engine.DB, ls *listings.Repository) *Repository {
	return &Repository{db: db, listings: ls}
}

// Leases are the leases of scopes. They implement lease.Repository.
type Leases struct{ *nodes.Repository }

// Leases returns the leases of scopes, which are rows beside those of nodes.
func (repo *Repository) Leases() Leases { return Leases{nodes.New(repo.db)} }

// Release stores l without a holder, if l's holder still holds it. The lease of a
// scope that did not fail is due no later than the first of its items.
func (leases Leases) Release(ctx context.Context, l lease.Lease) (ok bool, err error) {
	return leases.ReleaseThen(ctx, l, dueWithItems)
}

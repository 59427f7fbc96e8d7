// Package sweeps holds the SQL of collection: the jobs, the progress of their
// sweeps, and the items to read.
//
//	collect ─► BeginSweep
//	           SaveBatch, SaveBatch … ─► listings.Saving + progress + items, one transaction each
//	           Missing ─► what FinishSweep would withdraw
//	           FinishSweep ─► withdraws what the sweep owns and did not see, and
//	                          removes the prices that it no longer found
//
// A batch is stored only while the scope's lease is held.
//
// The package refuses to decide how much a sweep may withdraw and what it owns:
// package sweep does.
package sweeps

import (
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

// Leases returns the leases of scopes, which are rows beside those of nodes. When it is released, that
// of a scope that did not fail is due no later than the first of its items.
func (repo *Repository) Leases() lease.Repository {
	leases := nodes.New(repo.db)
	leases.Released = dueWithItems
	return leases
}

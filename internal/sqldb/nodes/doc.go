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

import "gamedex/internal/sqldb/engine"

// Repository runs the statements on a database.
type Repository struct{ db *engine.DB }

// New returns a repository in db.
func New(db *engine.DB) *Repository { return &Repository{db} }

// Package nodes holds the SQL of the state that processes share: the processes
// themselves, leases, marks of running imports, the number of the newest publication,
// exchange rates (the present ones, and the last of each UTC day), overrides of platform
// states, and the pace of requests to a host.
//
//	lease.Holder, registry, build, rates, upstream ─► Store ─► engine.DB.Write
//
// The package refuses to decide who may claim a lease and which nodes count: packages
// lease and registry do.
package nodes

import "gamedex/internal/sqldb/engine"

// Store runs the statements on a database.
type Store struct{ db *engine.DB }

// New returns a store in db.
func New(db *engine.DB) *Store { return &Store{db} }

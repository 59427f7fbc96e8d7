package listings

import "gamedex/internal/sqldb"

// Store runs the statements on a database. It remembers the numbers of facts
// and prose that were used lately.
type Store struct {
	db           *sqldb.DB
	facts, prose *idCache
}

// New returns a store in db.
func New(db *sqldb.DB) *Store { return &Store{db, newIDCache(), newIDCache()} }

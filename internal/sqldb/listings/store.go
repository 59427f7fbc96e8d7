package listings

import "gamedex/internal/sqldb"

// Store runs the statements on a database. It caches the numbers of recently used
// facts and prose.
type Store struct {
	db           *sqldb.DB
	facts, prose *idCache
}

// New returns a store in db.
func New(db *sqldb.DB) *Store { return &Store{db, newIDCache(), newIDCache()} }

package listings

import "gamedex/internal/sqldb/engine"

// Store runs the statements on a database. It caches the numbers of recently used
// facts and prose.
type Store struct {
	db           *engine.DB
	facts, prose *idCache
}

// New returns a store in db.
func New(db *engine.DB) *Store { return &Store{db, newIDCache(), newIDCache()} }

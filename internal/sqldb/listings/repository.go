package listings

import "gamedex/internal/sqldb/engine"

// Repository runs the statements on a database. It caches the numbers of recently used
// facts and prose.
type Repository struct {
	db           *engine.DB
	facts, prose *idCache
}

// New returns a repository in db.
func New(db *engine.DB) *Repository { return &Repository{db, newIDCache(), newIDCache()} }

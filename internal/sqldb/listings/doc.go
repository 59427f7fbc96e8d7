// Package listings holds the SQL of listings: saving and reading them, their
// content, their prices and the ids that were served.
//
//	feed ───► Save ─────────────┐
//	sweeps ─► Saving ───────────┴─► listing + facts + prose   one generation a batch
//	                                history                   what their prices were
//	builder ◄─ Read: Changes, NewFacts, NewProse               one consistent snapshot
//
// A batch raises the one generation number and locks its row until commit, so
// generations become visible in order: a reader of generation g that reads the
// changes after g misses nothing. The fields that most regions repeat (facts) and
// those that only the card shows (prose) are stored once per content.
//
// The package refuses to decide which line of a listing takes precedence
// (catalog.Supersede) and which sweep owns a listing (package sweep).
package listings

import (
	"gamedex/internal/sqldb/engine"
)

// Repository runs the statements on a database. It caches the numbers of recently used
// facts and prose.
type Repository struct {
	db           *engine.DB
	facts, prose idCache
}

// New returns a repository in db.
func New(db *engine.DB) *Repository { return &Repository{db: db} }

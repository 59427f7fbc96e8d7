package nodes

import "gamedex/internal/sqldb"

// Store runs the statements on a database.
type Store struct{ db *sqldb.DB }

// New returns a store in db.
func New(db *sqldb.DB) *Store { return &Store{db} }

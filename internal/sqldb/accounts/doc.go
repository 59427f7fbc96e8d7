// Package accounts holds the SQL of users, keys and what they do: sessions,
// one-time links, requests counted for limits and history, and the audit log.
//
//	account, quota, dashboard ─► Repository ─► engine.DB.Write: rows + audit entry
//
// A change of a user or a key is written together with its audit entry. Changes
// of users, and those of keys, lock one counter each until commit: a count, such as
// that of the other administrators, stays correct until then. Package sqldb has the
// order of locks.
//
// The package refuses to decide what a key, a user or a link may become: package
// account does.
package accounts

import "gamedex/internal/sqldb/engine"

// Repository runs the statements on a database.
type Repository struct{ db *engine.DB }

// New returns a repository in db.
func New(db *engine.DB) *Repository { return &Repository{db} }

// Package accounts holds the SQL of users, keys and what they do: sessions,
// one-time links, requests counted for limits and history, and the audit log.
//
//	account, quota, dashboard ─► Store ─► sqldb.DB.Write: rows + audit entry
//
// A change of a user or a key is written together with its audit entry. Changes
// of users hold one counter's row until commit: a count, such as that of the
// administrators who are left, stays true until then.
//
// The package refuses to decide what a key, a user or a link may become: package
// account does.
package accounts

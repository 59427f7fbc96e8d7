// Package home holds the first page: of strangers, of people who are signed in, and the
// public one.
//
//	stranger, no public pages ─► welcome: what the service is
//	stranger, public pages ────► first: search, deals, popular games
//	signed in ─────────────────► home: whether all is well, own keys, what is new; without a
//	                             used key also the first requests
package home

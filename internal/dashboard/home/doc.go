// Package home holds the first page, in three forms.
//
//	stranger, no public pages ─► welcome: what the service is
//	stranger, public pages ────► first: search, deals, popular games
//	signed in ─────────────────► home: watched games, whether all is well, own keys, what is
//	                             new; without a used key also the first requests
package home

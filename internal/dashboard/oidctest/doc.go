// Package oidctest is a small provider of OpenID Connect, for tests: one that
// works as the standard wants, until it is told to misbehave.
//
//	client ─► describes itself ─► authorize: the Person, at once ─► code
//	                                                                 │
//	  ID token, signed with ES256 ◄── token: secret, PKCE, used once ◄┘
//	  Person's address ◄── user info
//
// It is strict: a client that leaves out state, nonce or PKCE, or gives a wrong
// secret, verifier or address to return to, gets nothing.
//
// The package knows nothing of whom it signs in to.
package oidctest

// Package oidctest is a small OpenID Connect provider for tests. It follows the
// standard until a test makes it misbehave.
//
//	client ─► describes itself ─► authorize: the Person, at once ─► code
//	                                                                 │
//	  ID token, signed with ES256 ◄── token: secret, PKCE, used once ◄┘
//	  Person's address ◄── user info
//
// It is strict: it refuses a client that leaves out state, nonce or PKCE, or that
// sends a wrong secret, verifier or redirect URI.
//
// The package does not know the dashboard.
package oidctest

// Package account says who may use the service: API keys, their tokens and
// states, their permissions, and the record of what was done to them.
//
//	Draft ──Issue──► Key (stored) + Token (shown once)
//
//	token ─ checksum ─ SHA-256 ─► Cache ──► Key ──Status(now)──► api decides
//	                               │  ▲
//	                 unknown: look │  │ every 500 ms: keys changed since n
//	                               ▼  │
//	                              Store (the database)
//
// A token's text exists nowhere but in its owner's hands: the database, the
// cache and the logs know its hash. A [Cache] answers for known keys without
// the database, and never calls a key unknown merely because it could not ask.
//
// The package refuses to know HTTP, SQL or quotas: it turns a token into a
// record, and a record with a moment into a state. All times are Unix
// milliseconds.
package account

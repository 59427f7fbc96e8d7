// Package account says who may use the service, and who may change that: API
// keys, their tokens and states, their permissions; the people who own keys,
// their passwords and one-time links; and the record of what was done to them.
//
//	Draft ──Issue──► Key (stored) + Token (shown once)
//
//	token ─ checksum ─ SHA-256 ─► Cache ──► Key ──Status(now)──► api decides
//	                               │  ▲
//	                 unknown: look │  │ every 500 ms: keys changed since n
//	                               ▼  │
//	                              Store (the database)
//
//	email, password ─ Throttle.Admit ─ Passwords.Check ─► User, or not:
//	                  too many fail    argon2id, few      nobody is told why
//	                                   at once
//
//	NewLink ──► Link (stored) + token (shown once) ──► a User, or a password
//
// A token's text exists nowhere but in its owner's hands: the database, the
// cache and the logs know its hash. So it is with links. A password is kept as
// a slow hash, appears in no error, and takes as long to check for an account
// that does not exist. A [Cache] answers for known keys without the database,
// and never calls a key unknown merely because it could not ask. A [Throttle]
// stops guessing and leaves the owner a way in.
//
// The package refuses to know HTTP, SQL or quotas: it turns a token into a
// record, and a record with a moment into a state. All times are Unix
// milliseconds.
package account

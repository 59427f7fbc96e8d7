// Package account holds API keys and users: keys with their tokens, states and
// permissions; users with their passwords and one-time links; and the audit log
// of changes to both.
//
//	Draft ──Issue──► Key (stored) + Token (shown once)
//
//	token ─ checksum ─ SHA-256 ─► Cache ──► Key ──Status(now)──► api decides
//	                               │  ▲
//	                   unknown key │  │ every 500 ms: keys changed since n
//	                               ▼  │
//	                              Keys (in the database)
//
//	email, password ─ Throttle.Admit ─ Passwords.Check ─► User or failure,
//	                  limits failures  argon2id, few      without a reason
//	                                   at once
//
//	NewLink ──► Link (stored) + token (shown once) ──► a User, or a password
//
// Only its owner has the text of a token: the database, the cache and the logs
// have its hash. The same holds for links. A password is stored as a slow hash,
// never appears in an error, and takes as long to check if the account does not
// exist. A [Cache] finds known keys without the database, and never reports a
// key as unknown because the database failed. A [Throttle] stops guessing
// without locking out the owner, over several processes where there is a
// [SharedTries].
//
// The package refuses to know HTTP, SQL and quotas. All times are Unix
// milliseconds.
package account

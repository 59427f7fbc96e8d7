// Package lease decides which process may run a task, and until when.
//
//	Holder.Hold ──Claim──► Repository (one row per name)
//	    │  work(ctx, lease)       ▲
//	    │  renewed every ttl/3 ───┤
//	    └─ lost: ctx is cancelled │
//	       done: Release ─────────┘  due, cursor, attempts, last error
//
//	Holder.Wait, Holder.Keep: a lease for as long as a process runs
//
// Each name has one row, which only single conditional updates change, so at most
// one process holds a name at a time. Each claim raises the row's Token. A holder
// that did not renew in time has an outdated token and can neither renew nor
// release.
//
// A lease makes it unlikely that work is done twice, but not impossible, because a
// process may stall after it looked at the clock. If something must never happen
// twice, the database has to ensure it, with the Token or in another way.
//
// The database's clock decides when a lease ends. A holder never reads the time of day: it
// measures how long ago it asked the database.
//
// The package refuses to know what the work is and where leases are stored. All
// times are Unix milliseconds.
package lease

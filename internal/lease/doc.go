// Package lease decides which process may run a task, and until when.
//
//	Holder.Hold ──Claim──► Store (one row per name)
//	    │  work(ctx, lease)       ▲
//	    │  renewed every ttl/3 ───┤
//	    └─ lost: ctx is cancelled │
//	       done: Release ─────────┘  due, cursor, attempts, last error
//
// One row per name is changed by single conditional updates, so of all
// processes at most one holds a name at a time. Each claim raises the row's
// Token; a holder that slept through its time finds its token outdated and can
// neither renew nor release.
//
// A lease keeps work from being done twice; it does not make that impossible,
// because a process may stall after it looked at the clock. What must not
// happen twice has to be decided by the database, with the Token or otherwise.
//
// The package refuses to know what the work is, where leases are stored, and
// what the time is. All times are Unix milliseconds.
package lease

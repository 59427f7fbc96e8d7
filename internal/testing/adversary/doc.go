// Package adversary is test-only: writers that want to change the same at the same
// time, as processes on several machines do.
//
//	contest ─► round: state ─► writers, each with a handle of its own ─► what must hold afterwards
//	              │
//	              ├─ on every engine: nothing breaks
//	              ├─ behind PgBouncer: nothing breaks
//	              └─ on PostgreSQL without locks: what each contest says breaks
//
// A contest covers what reads, decides and writes. The run without locks shows that its
// checks can fail, and which rules rest on locks. The others rest on single statements.
//
// The package holds only tests.
package adversary

// Package sqldb keeps what gamedex must not lose: listings, people, their keys,
// usage, leases and rates. All SQL of the program is here.
//
//	feed ────► (Prepare ─►) Save ──────┐
//	collect ─► BeginSweep              ▼  one generation a batch
//	           SaveStep, SaveStep … ─► listing + facts + prose
//	           FinishSweep ────────────┘  │
//	build ◄─── Read: Changes, NewFacts, NewProse   one consistent look
//
//	account, quota, lease, build ◄─► their rows          by the Store interfaces there
//
// A batch raises the one generation number and holds its row until commit, so
// generations become visible in order: whoever has read generation g and asks
// for what came after it misses nothing. What most regions repeat of a listing
// (facts) and what only its card shows (prose) is stored once, by content.
//
// A sweep's steps are fenced: whoever does not hold the lease of the scope any
// more stores nothing. A listing belongs to the kind of sweep that saw it last,
// or to imports; the end of a sweep withdraws what is its own and was not seen.
//
// What is done to a user or a key is written together with the audit entry that
// tells it. Whoever changes users holds one counter's row until commit: what he
// has counted, an administrator who is left or a link that is still open, stays
// true.
//
// The engine is SQLite in WAL mode: one connection writes, several read, and
// several processes may do so at once. A write is on disk when its call
// returns. The statements keep to what PostgreSQL takes too, but for bulk ones:
// their placeholders are ?, because this driver searches $n one by one, and have
// to be numbered for an engine that wants it.
//
// It refuses to decide what the domain decides (catalog.Supersede, the limits,
// who may claim), to read the clock, to open a file that is not a whole gamedex
// database, and to make one unless asked.
package sqldb

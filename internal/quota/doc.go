// Package quota counts requests against the limits of a key and keeps the
// history of their numbers.
//
//	Take ──► Counter ── Spent.Take(limits, now) ──► Decision ──► headers, 429
//	            │ Memory: one 64-bit word per key, one cell per owner
//	            ▼
//	         Flusher ──every 500 ms──► Repository ──at start──► Memory
//	            ▲ numbered batches        │
//	Add ───► Usage: not saved yet ──► History
//
// A key has two fixed windows: the UTC clock minute and the UTC day. An allowed
// request is charged to both, a refused one to neither, so the used number never
// exceeds the limit. The keys of an [Owner] share two further windows in the same
// way, so that nobody gets more requests from a new key in place of a used one.
// [Spent], a pure value, does the arithmetic. A [Counter] keeps one Spent per key
// and owner and changes them atomically.
//
// The history is exact over any number of processes and failed flushes: each batch of
// requests is stored once, together with its number, however often it is sent.
//
// The package does not know what a key may do or which response a decision
// becomes. It does not count by address: dashboard/web does for public pages,
// account.Throttle for sign-ins, and serve for connections. It reads no clock: callers pass now, in Unix milliseconds.
package quota

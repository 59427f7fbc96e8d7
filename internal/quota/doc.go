// Package quota counts requests against the limits of a key, and remembers
// how many there were.
//
//	Take ──► Counter ── Spent.Take(limits, now) ──► Decision ──► headers, 429
//	            │ Memory: one 64-bit word per key
//	            ▼
//	         Flusher ──every 500 ms──► Store ──at start──► Memory
//	            ▲
//	Add ───► Usage: (key, hour, route, outcome) of this run ──► History
//
// Two fixed windows hold for a key: the UTC clock minute and the UTC day. A
// request is charged to both or to none, and what is refused is charged to
// none, so used never exceeds limit. The arithmetic is in [Spent], a pure
// value; a [Counter] only keeps one Spent per key and changes it atomically.
//
// The package refuses to know what a key may do, which response a decision
// becomes, and what the time is: callers pass now, in Unix milliseconds.
package quota

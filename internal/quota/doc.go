// Package quota counts requests against the limits of a key and keeps the
// history of their numbers.
//
//	Take ──► Counter ── Spent.Take(limits, now) ──► Decision ──► headers, 429
//	            │ Memory: one 64-bit word per key
//	            ▼
//	         Flusher ──every 500 ms──► Store ──at start──► Memory
//	            ▲
//	Add ───► Usage: (key, hour, route, outcome) of this run ──► History
//
// A key has two fixed windows: the UTC clock minute and the UTC day. An allowed
// request is charged to both, a refused one to neither, so the used number never
// exceeds the limit. [Spent], a pure value, does the arithmetic. A [Counter]
// keeps one Spent per key and changes it atomically.
//
// The package does not know what a key may do or which response a decision
// becomes. It reads no clock: callers pass now, in Unix milliseconds.
package quota

// Package shared counts requests, and failed sign-ins, over several nodes, in Redis or
// Valkey.
//
//	Take ─► refused by what is known already? ─► Decision, no round trip
//	          │ no
//	          ▼        50 ms
//	        script, one call ──────► key and owner: minute, minute used, day used
//	          │ error                  │    key: places of charges
//	          ▼        50 ms           │
//	        the call once more ────────┤
//	          │ error                  │
//	          ▼                        ▼ learned, per key and owner: known
//	        this node's share of what known leaves: granted
//	          │
//	        Run: probes every second ─► known and granted are added to the server
//
//	CountTries ─► script, one call ───► windows of tries; error: the caller counts
//
// The script, take.lua, does the arithmetic of [quota.Pair] by the server's clock and
// returns the states that it found, from which a node makes the same decision. Key and
// owner are two keys of Redis in one slot, so that a request is charged to both or to
// neither.
//
// What a node knows about a key is what the server said last, and never more than what
// was used. So it refuses a request without asking where that is over a limit already, and
// it raises a server that has lost its memory. A key that the server does not know
// begins with the highest that this node knows, or with what was used today according
// to the database.
//
// A call without an answer in time is made again on another connection. Both have the same
// place and number, by which the server charges only one (decision 32). Time in which the
// process does not run is not counted: see deadline.
//
// While the server keeps its memory, counts may be too high, never too low: a request
// without an answer to both calls may have been charged, and the node grants it itself. It
// reports its grants to the server in numbered batches until it gets an answer; the server
// keeps the number of the last batch for ten minutes, and adds each batch once.
//
// The package does not choose a server's primary, keep more than two days, or hand out
// requests in advance.
package shared

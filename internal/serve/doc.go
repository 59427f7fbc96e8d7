// Package serve carries HTTP: the life of a listener, and what every request
// gets whatever it asks for.
//
//	Listen ─► Server.Run ─► Front ─────────────────────► next (api, dashboard)
//	 │ limits: time, header,  │ request id                  │ RecordFrom(ctx):
//	 │ connections, slow      │ panic guard, log, metrics ◄─┤ Route, KeyID
//	 │ readers ◄──────────────┼─────────────────────────────┘ HeaderLines
//	 └ a second one: Ops ─► /metrics /livez /readyz /debug/pprof
//
// A request ends in bounded time whatever the client does: it has 10 s for its
// header, 60 s for its body, and must take 64 KiB of the answer in every 30 s.
// A long answer over a slow line may take minutes; one that stands still may not.
//
// What every request needs is kept with its connection and used again by the
// next one: its exchange, the write deadline, the memory of header lines.
//
// Who asks is the peer, unless it is a proxy of ours: see [Proxies]. No other
// X-Forwarded-* header is believed.
//
// The package refuses to know the interface: no path, no key, no error body.
// It never logs a path, a query or a header, because they may hold secrets;
// handlers name the route they are.
package serve

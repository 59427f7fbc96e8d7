// Package serve is the HTTP server: listeners with limits, and what every request
// gets whatever its path.
//
//	Listen ─► Server.Run ─► Front ─────────────────────► next (api, dashboard)
//	 │ limits: time, header,  │ request id, traceparent     │ RecordFrom(ctx):
//	 │ connections, slow      │ panic guard, log, metrics ◄─┘ Route, KeyID
//	 │ readers                │
//	 └ a second one: Ops ─► /metrics /livez /readyz /debug/pprof
//
// Every request ends in bounded time: a client has 10 s to send the header, 60 s
// to send the body, and must accept 64 KiB of the answer in every 30 s, all of it within
// 5 min. So a long answer over a slow line may take minutes, but a stalled client is
// cut off. When connections run short, idle ones are closed first, and a network may
// hold only a share of them. The kernel buffers little of an answer that a client
// does not read.
//
// The client's address is that of the peer, unless the peer is a trusted proxy:
// see [Proxies]. Other X-Forwarded-* headers are ignored.
//
// The package does not know the API: no path, no key, no error body. It never
// logs a path, a query or a header, because they may hold secrets; handlers
// name their route. The exceptions are ids that can hold no secret: a valid X-Request-Id,
// and a valid traceparent, which [Traceparent] returns for requests made on behalf of the
// one at hand.
package serve

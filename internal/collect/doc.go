// Package collect decides what to read from the stores and when, and handles
// their failures.
//
//	Plan ─► lease "collect/<scope>" ─► Connector.Read ─► SaveBatch … ─► FinishSweep
//	  ▲              │                   page by page,      one transaction   withdraws
//	  │              ▼                   or item by item    a batch
//	Sweeps ◄── due time, attempts, last error
//
// A scope is one kind of sweep in one region of one platform. The database holds
// all its state. A process that claims its lease continues where the last one
// stopped, so any number of processes share the work, and a killed process loses
// at most one batch. A run is one slice of a sweep: it gives way to more urgent
// scopes and continues later.
//
// After a failure a scope waits, longer each time. When a store refuses access
// (upstream.Stopped), all processes stop all its scopes until the given time. A
// sweep that may have missed something withdraws nothing.
//
// The package refuses to know how to read a store (connectors do), which data of a
// listing count (sweep.Overlay, catalog.Supersede, feed.Check) and how they are
// stored.
package collect

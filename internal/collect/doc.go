// Package collect reads the stores: what when, and what if a store fails.
//
//	Plan ─► lease "collect/<scope>" ─► Connector.Read ─► SaveStep … ─► FinishSweep
//	  ▲              │                   page by page,      one transaction   withdraws
//	  │              ▼                   or item by item    a step
//	Sweeps ◄── due time, attempts, last error
//
// A scope is one kind of reading in one region of one platform. Everything
// about it is in the database: the process that claims its lease goes on where the last
// one stopped, so any number of processes share the work, and killing one loses
// a step at most. A run is a slice: it gives way to what is more urgent and
// goes on later.
//
// A store that fails is left alone for a while, longer each time. One that
// forbids (upstream.Stopped) is left alone by every process, all its scopes
// together, and is looked at again when that time is over. A sweep that may
// have missed something withdraws nothing.
//
// It refuses to know how a store is asked (connectors do), what a listing is
// worth (catalog.Overlay and Supersede, feed.Check) and where things are kept.
package collect

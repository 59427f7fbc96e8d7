// Package sweep holds the values of collecting and its pure rules. A sweep is
// one pass over a scope: a platform, the region that is requested, and a kind.
//
//	Job ─► connector ─► Page ─► Step ─► stored with the sweep's progress
//	                     │
//	                     └ Part: what one operation shows of a listing;
//	                       Overlay lays it over the stored listing
//
//	State, Collection ─► PlatformStatus, FirstSweepDone
//
// The package refuses I/O, clocks, contexts and logging: package collect runs
// sweeps, the connectors read stores, and the database keeps the progress.
package sweep

// Package sweep holds the values and the pure rules of collection. A sweep is
// one pass over a scope: a platform, the requested region, and a kind.
//
//	Job ─► connector ─► Page ─► Batch ─► stored with the sweep's progress
//	                     │
//	                     └ Part: the fields of a listing that one operation shows;
//	                       Overlay merges them into the stored listing
//
//	State, Collection ─► PlatformStatus, FirstSweepDone
//
// The package refuses I/O, clocks, contexts and logging: package collect runs
// sweeps, the connectors read stores, and the database keeps the progress.
package sweep

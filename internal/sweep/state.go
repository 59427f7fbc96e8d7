package sweep

import "gamedex/internal/catalog"

// State is how the sweeps of a scope stand, as every process sees it.
type State struct {
	Scope    Scope
	Regions  []catalog.Region // all that the answers stand for, Scope.Region first
	Active   bool             // one of Regions is active
	Interval catalog.Millis   // how often the scope is to be swept

	Began       catalog.Millis // of the sweep under way; zero: none is
	Cursor      string         // where a paged one goes on
	Interrupted bool           // it must not withdraw
	Completed   catalog.Millis // end of the last complete sweep; zero: none yet
	Collected   catalog.Millis // when something was last stored; zero: never
	Failed      bool           // the last sweep could not be completed, or withdrew nothing for safety

	// Of the sweep under way, else of the last one.
	Requests, Parts, Doubtful, Withdrawn int
	// HeldBack is how many listings the last sweep would have withdrawn, had
	// they not been too many at once.
	HeldBack int

	Pending   int            // items to be read, of the sweep under way or due
	DueAt     catalog.Millis // not to be run before
	RunBy     string         // who runs it now; empty: nobody
	RunUntil  catalog.Millis
	Attempts  int // failures in a row
	LastError string
}

// End is what the end of a sweep did.
type End struct {
	Withdrawn int
	HeldBack  int // too many at once: none was withdrawn
}

// Collection is whether, and since when, a platform is collected.
type Collection struct {
	Platform catalog.Platform
	Since    catalog.Millis // when collection was switched on
	// Interval is that of the prices of active regions; zero where the platform
	// is swept by hand alone: then nothing is ever late.
	Interval catalog.Millis
	// StoppedUntil is when requests to the store may go on; zero: now.
	StoppedUntil catalog.Millis
	StopReason   string
}

// RegionPrice is what a product costs in some region.
type RegionPrice struct {
	Region  catalog.Region
	Product string
	Price   catalog.Price
}

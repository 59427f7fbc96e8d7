package sweep

import (
	"strconv"

	"gamedex/internal/catalog"
)

// State is the stored state of the sweeps of a scope. All processes share it.
type State struct {
	Scope    Scope
	Regions  []catalog.Region // all that the answers are valid for, Scope.Region first
	Active   bool             // one of Regions is active
	Interval catalog.Millis   // how often the scope is to be swept

	Began       catalog.Millis // of the sweep under way; zero: none
	Cursor      string         // next page of a paged sweep
	Interrupted bool           // it must not withdraw
	Completed   catalog.Millis // end of the last complete sweep; zero: none yet
	Collected   catalog.Millis // when something was last stored; zero: never
	Failed      bool           // the last sweep could not be completed, or withdrew nothing for safety

	// Counts of the sweep under way, or else of the last one.
	Requests, Parts, Doubtful, Withdrawn int
	// HeldBack is how many listings the last sweep did not withdraw because they
	// were too many at once.
	HeldBack int

	Pending   int            // items to read, of the sweep under way, or due; not all may be counted
	DueAt     catalog.Millis // earliest time of the next run
	RunBy     string         // who runs it now; empty: nobody
	RunUntil  catalog.Millis
	Attempts  int // failures in a row
	LastError string
}

// ManyItems is the most pending items of a scope that are counted for people and metrics:
// counting more would take too long.
const ManyItems = 10_000

// PendingText returns Pending, counted up to [ManyItems], for people.
func (s State) PendingText() string {
	if s.Pending >= ManyItems {
		return strconv.Itoa(ManyItems) + " or more"
	}
	return strconv.Itoa(s.Pending)
}

// End is the outcome of finishing a sweep.
type End struct {
	Withdrawn int
	HeldBack  int // too many at once, so none was withdrawn
}

// Collection is the stored state of the collection of a platform.
type Collection struct {
	Platform catalog.Platform
	Since    catalog.Millis // when collection was switched on
	// Interval is that of the prices of active regions. It is zero if the
	// platform is only swept by hand: then nothing is ever late.
	Interval catalog.Millis
	// StoppedUntil is when requests to the store may resume; zero: now.
	StoppedUntil catalog.Millis
	StopReason   string
}

// RegionPrice is the price of a product in a region.
type RegionPrice struct {
	Region  catalog.Region
	Product string
	Price   catalog.Price
}

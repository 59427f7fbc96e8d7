package sweep

import (
	"maps"
	"slices"
	"strconv"

	"gamedex/internal/catalog"
)

// State is the stored state of the sweeps of a scope. All processes share it.
type State struct {
	Scope    Scope
	Regions  []catalog.Region // all that the answers are valid for, Scope.Region first
	Active   bool             // one of Regions is active
	Interval catalog.Millis   // time between two sweeps

	Began       catalog.Millis // of the sweep under way; zero: none
	Cursor      string         // next page of a paged sweep
	Interrupted bool           // it must not withdraw
	Completed   catalog.Millis // end of the last complete sweep; zero: none yet
	Collected   catalog.Millis // when something was last stored; zero: never
	Failed      bool           // the last sweep could not be completed, or withdrew nothing for safety

	// Counts of the sweep under way, or else of the last one.
	Requests, Parts, Doubtful, Withdrawn int
	// HeldBack is how many listings the last sweep did not withdraw, or how many prices it
	// did not remove, because they were too many at once.
	HeldBack int

	Pending   int            // items to read, of the sweep under way, or due; not all may be counted
	DueAt     catalog.Millis // earliest time of the next run
	RunBy     string         // who runs it now; empty: nobody
	RunUntil  catalog.Millis
	Attempts  int // failures in a row
	LastError string
}

// ManyItems bounds how many pending items of a scope are counted:
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
	HeldBack  int // too many at once, so none was withdrawn and no price removed
}

// Collection is the stored state of the collection of a platform.
type Collection struct {
	Platform catalog.Platform
	Since    catalog.Millis // when collection was switched on
	// Interval is the time between sweeps of the prices of active regions. It is zero if the
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

// How many intervals may pass before a platform's status changes.
const (
	degradedAfter = 2 // since the end of a region's last complete sweep
	outageFrom    = 6 // since anything was collected
)

// PlatformStatus returns the status of the platform of c at now. override is
// the status that an operator set; zero: none. c is nil where collection is
// off; a platform without an interval is swept by hand and never late. Only the
// sweeps of the platform count: the prices of active regions, or of all regions
// if none is active. A stop that the store demanded counts as an outage until
// something has been read again.
func PlatformStatus(override catalog.Status, c *Collection, sweeps []State, now catalog.Millis) catalog.Status {
	if override != 0 {
		return override
	}
	if c == nil || c.Interval == 0 {
		return catalog.Operational
	}
	own := slices.DeleteFunc(slices.Clone(sweeps), func(s State) bool { return s.Scope.Platform != c.Platform })
	collected := c.Since
	for _, s := range own {
		collected = max(collected, s.Collected)
	}
	if c.StoppedUntil != 0 || now-collected >= outageFrom*c.Interval {
		return catalog.Outage
	}
	late := func(s State) bool { return s.Failed || s.Completed == 0 || now-s.Completed > degradedAfter*c.Interval }
	if deciding := statusSweeps(own); len(deciding) == 0 || slices.ContainsFunc(deciding, late) {
		return catalog.Degraded
	}
	return catalog.Operational
}

// FirstSweepDone reports whether the sweeps of one platform have completely read
// its store at least once. Before that, an unknown id may belong to a product that
// has not been read yet.
func FirstSweepDone(sweeps []State) bool {
	deciding := statusSweeps(sweeps)
	return len(deciding) > 0 && !slices.ContainsFunc(deciding, func(s State) bool { return s.Completed == 0 })
}

// statusSweeps returns the sweeps of one platform that decide its status.
func statusSweeps(sweeps []State) []State {
	all := slices.DeleteFunc(slices.Clone(sweeps), func(s State) bool { return s.Scope.Kind != Prices })
	active := slices.DeleteFunc(slices.Clone(all), func(s State) bool { return !s.Active })
	if len(active) > 0 {
		return active
	}
	return all
}

// maxIntervals bounds the memory of a SeenTimes.
const maxIntervals = 4096

// SeenTimes summarizes when the listings of a region were last seen. It counts up
// to maxIntervals distinct times exactly. With more, it counts by interval; the
// intervals do not depend on the order of the times. The zero value is empty.
type SeenTimes struct {
	oldest             catalog.Millis
	listings, doubtful int
	width              catalog.Millis         // of an interval
	counts             map[catalog.Millis]int // listings by the start of their interval
}

// AddListing adds a listing that was last seen at the given time.
func (s *SeenTimes) AddListing(seen catalog.Millis, doubtful bool) {
	if s.listings == 0 {
		s.oldest, s.width, s.counts = seen, 1, map[catalog.Millis]int{}
	}
	s.oldest = min(s.oldest, seen)
	s.listings++
	if doubtful {
		s.doubtful++
	}
	s.counts[seen-seen%s.width]++
	for len(s.counts) > maxIntervals {
		s.width *= 2
		wider := make(map[catalog.Millis]int, len(s.counts))
		for at, n := range s.counts {
			wider[at-at%s.width] += n
		}
		s.counts = wider
	}
}

// Freshness returns the number of listings, and the oldest and the median time.
// The median is the start of its interval; of two middle times it is the earlier.
func (s *SeenTimes) Freshness() catalog.Freshness {
	f := catalog.Freshness{Listings: s.listings, Doubtful: s.doubtful, OldestSeen: s.oldest}
	rest := (s.listings - 1) / 2
	for _, at := range slices.Sorted(maps.Keys(s.counts)) {
		if rest -= s.counts[at]; rest < 0 {
			f.MedianSeen = max(s.oldest, at)
			break
		}
	}
	return f
}

// A sweep may withdraw one in withdrawShare of the listings that it should have seen, and
// remove the same share of the prices. It may always withdraw or remove withdrawAlways of
// them: otherwise a small scope could never lose one.
const (
	withdrawShare  = 10
	withdrawAlways = 4
)

// Missing counts what a complete sweep did not see.
type Missing struct {
	Listings, KnownListings int
	Items, KnownItems       int
	Prices, KnownPrices     int // lost, and found or lost
}

// HeldBack returns the number of missing listings, items or prices if they are too many
// to remove at once, and 0 if the sweep may remove them. force allows any number.
func (m Missing) HeldBack(force bool) int {
	if force || mayWithdraw(m.Listings, m.KnownListings) && mayWithdraw(m.Items, m.KnownItems) &&
		mayWithdraw(m.Prices, m.KnownPrices) {
		return 0
	}
	return max(m.Listings, m.Items, m.Prices)
}

func mayWithdraw(missing, known int) bool {
	return missing <= withdrawAlways || missing*withdrawShare <= known
}

// Owner is the kind of sweep that last saw a listing, and the time. The zero
// Owner is an import. A sweep withdraws only listings that its own kind owns.
type Owner struct {
	Kind Kind
	At   catalog.Millis
}

// FindsListings reports whether sweeps of kind k find what a store sells. They
// own each listing whose price they show. Titles and Details add to listings
// that other kinds find.
func (k Kind) FindsListings() bool { return k == Prices || k == Editions || k == AddOns }

// NextOwner returns the owner of a listing after a sweep of by.Kind showed its
// price at by.At. listed is false if the listing is new or was withdrawn; before
// is the zero Owner if it is new. Details own only listings that no other kind
// shows.
func NextOwner(before Owner, listed bool, by Owner) Owner {
	if by.Kind.FindsListings() || by.Kind == Details && (!listed || before.Kind == Details) {
		return by
	}
	return before
}

// OwnerAfterImport returns the owner of a listing after a line of an import.
// news reports whether the line brought anything new, such as that the listing
// was seen again.
func OwnerAfterImport(before Owner, effect catalog.Effect, news bool) Owner {
	if effect == catalog.Older || !news {
		return before
	}
	return Owner{}
}

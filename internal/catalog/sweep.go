package catalog

import (
	"cmp"
	"fmt"
	"strings"
)

// Kind is which part of a store a sweep reads. The numbers are stored.
type Kind uint8

// The kinds. Prices and Titles are read page by page, the others item by item:
// one request, or a few, for each game or product that a page named.
const (
	Prices   Kind = iota + 1 // every game that is listed, with what it costs
	Editions                 // all editions of one game, with exact prices
	AddOns                   // all add-ons of one game
	Details                  // what one product's own page says
	Titles                   // names in a region's further languages
)

var kindNames = [...]string{Prices: "prices", Editions: "editions", AddOns: "addons", Details: "details", Titles: "titles"}

// String gives the kind's name in leases, logs and metrics.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return ""
}

// ParseKind reads what String gave.
func ParseKind(s string) (Kind, error) {
	for k, name := range kindNames {
		if name == s && s != "" {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("unknown kind of sweep %q", s)
}

// Paged says whether a sweep of this kind goes from page to page; otherwise it
// goes from item to item.
func (k Kind) Paged() bool { return k == Prices || k == Titles }

// Scope is what one sweep passes over: the unit in which stores are read.
type Scope struct {
	Platform Platform
	Region   Region // the one that is asked for; its answers may stand for more
	Kind     Kind
}

// String is the scope's name: "consolestore/UA/prices".
func (s Scope) String() string {
	return s.Platform.String() + "/" + s.Region.String() + "/" + s.Kind.String()
}

// ParseScope reads what String gave.
func ParseScope(s string) (Scope, error) {
	words := strings.Split(s, "/")
	if len(words) != 3 {
		return Scope{}, fmt.Errorf("scope %q is not PLATFORM/REGION/KIND", s)
	}
	p, err := ParsePlatform(words[0])
	if err != nil {
		return Scope{}, fmt.Errorf("scope %q: %w", s, err)
	}
	r, err := ParseRegion(words[1])
	if err != nil {
		return Scope{}, fmt.Errorf("scope %q: %w", s, err)
	}
	k, err := ParseKind(words[2])
	if err != nil {
		return Scope{}, fmt.Errorf("scope %q: %w", s, err)
	}
	return Scope{p, r, k}, nil
}

// Item is something that sweeps of another kind read one by one: a game's
// editions, a product's details.
type Item struct {
	Kind Kind
	ID   string // as the connector wants it back
	// Mark is what the page shows of it, shortened. When it differs from the
	// one before, the item is read before all that is only old.
	Mark string
}

// Job is a scope that a store can be read by.
type Job struct {
	Scope   Scope
	Regions []Region // all that its answers stand for, Scope.Region first
}

// Page is what one read of a job brought.
type Page struct {
	Parts   []Part   // in any of the job's regions
	Present []string // products that are there although nothing is shown of them, in all of them
	Items   []Item   // for jobs of other kinds in Scope.Region
	Next    string   // where a paged job goes on; empty: this was the last page
	Torn    bool     // something may be missing
	// Gone says of an item that the store does not sell it in this region.
	Gone     bool
	Requests int
}

// Step is what one read of a sweep found. It is stored as a whole, together
// with how far the sweep is.
type Step struct {
	Scope   Scope
	Regions []Region // all that the answers stand for, Scope.Region first
	At      Millis
	Parts   []Part   // in any of Regions
	Present []string // products that are there although nothing is shown of them, in all Regions
	Items   []Item   // for other kinds, in Scope.Region
	Read    []string // items of this scope that were read
	Retry   []string // items of this scope that could not be read: due again at RetryAt
	RetryAt Millis
	// Doubts are stored listings, of whatever region, whose prices are to be
	// judged anew beside what the step brought.
	Doubts []Doubt
	Cursor string // where a paged sweep goes on
	Torn   bool   // something may be missing: the sweep must not withdraw
	// Requests is how many requests the step took.
	Requests int
}

// Doubt is a listing whose price is, or is no longer, doubtful.
type Doubt struct {
	Key
	Doubtful bool
}

// StepCounts says what became of a step's parts.
type StepCounts struct {
	Saved      SaveCounts
	Incomplete int // parts of products too little is known of to list them yet
	Rejected   int // listings that break a rule of the format
	// FirstRejected says why the first of them was; empty without any.
	FirstRejected string
	Doubtful      int // prices stored as doubtful
	Hot           int // items that became due at once
}

// Add sums two counts.
func (c StepCounts) Add(o StepCounts) StepCounts {
	return StepCounts{
		Saved: c.Saved.Add(o.Saved), Incomplete: c.Incomplete + o.Incomplete,
		Rejected: c.Rejected + o.Rejected, FirstRejected: cmp.Or(c.FirstRejected, o.FirstRejected),
		Doubtful: c.Doubtful + o.Doubtful, Hot: c.Hot + o.Hot,
	}
}

// SweepState is how the sweeps of a scope stand, as every process sees it.
type SweepState struct {
	Scope    Scope
	Regions  []Region // all that the answers stand for, Scope.Region first
	Active   bool     // one of Regions is active
	Interval Millis   // how often the scope is to be swept

	Began     Millis // of the sweep under way; zero: none is
	Cursor    string // where a paged one goes on
	Torn      bool   // it must not withdraw
	Completed Millis // end of the last complete sweep; zero: none yet
	Collected Millis // when something was last stored; zero: never
	Failed    bool   // the last sweep could not be completed, or withdrew nothing for safety

	// Of the sweep under way, else of the last one.
	Requests, Parts, Doubtful, Withdrawn int
	// HeldBack is how many listings the last sweep would have withdrawn, had
	// they not been too many at once.
	HeldBack int

	Pending   int    // items to be read, of the sweep under way or due
	DueAt     Millis // not to be run before
	RunBy     string // who runs it now; empty: nobody
	RunUntil  Millis
	Attempts  int // failures in a row
	LastError string
}

// SweepEnd is what the end of a sweep did.
type SweepEnd struct {
	Withdrawn int
	HeldBack  int // too many at once: none was withdrawn
}

// CollectionState is whether, and since when, a platform is collected.
type CollectionState struct {
	Platform Platform
	Since    Millis // when collection was switched on
	// Interval is that of the prices of active regions; zero where the platform
	// is swept by hand alone: then nothing is ever late.
	Interval Millis
	// StoppedUntil is when requests to the store may go on; zero: now.
	StoppedUntil Millis
	StopReason   string
}

// Freshness is how old what a platform shows in a region is. Zero: not known.
type Freshness struct {
	Platform               Platform
	Region                 Region
	Listings, Doubtful     int // not withdrawn; with a doubtful price
	OldestSeen, MedianSeen Millis
	LastSweep              Millis // end of the last complete sweep of prices
}

// PriceElsewhere is what a product costs in some region.
type PriceElsewhere struct {
	Region  Region
	Product string
	Price   Price
}

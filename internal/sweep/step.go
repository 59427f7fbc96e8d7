package sweep

import (
	"cmp"

	"gamedex/internal/catalog"
)

// Step is what one read of a sweep found. It is stored as a whole, together
// with how far the sweep is.
type Step struct {
	Scope   Scope
	Regions []catalog.Region // all that the answers stand for, Scope.Region first
	At      catalog.Millis
	Parts   []Part   // in any of Regions
	Present []string // products that are there although nothing is shown of them, in all Regions
	Items   []Item   // for other kinds, in Scope.Region
	Read    []string // items of this scope that were read
	Retry   []string // items of this scope that could not be read: due again at RetryAt
	RetryAt catalog.Millis
	// Doubts are stored listings, of whatever region, whose prices are to be
	// judged anew beside what the step brought.
	Doubts      []Doubt
	Cursor      string // where a paged sweep goes on
	Interrupted bool   // something may be missing: the sweep must not withdraw
	// Requests is how many requests the step took.
	Requests int
}

// Doubt is a listing whose price is, or is no longer, doubtful.
type Doubt struct {
	catalog.Key
	Doubtful bool
}

// Apply returns the stored listing l with the price marked as d says, as of when
// it was last seen. changed is false if there is nothing to change.
func (d Doubt) Apply(l *catalog.Listing) (marked catalog.Listing, changed bool) {
	if l == nil || l.Withdrawn || l.Price == nil || d.Doubtful == (l.Price.Source == catalog.SourceDoubtful) {
		return catalog.Listing{}, false
	}
	price := *l.Price
	price.Source = catalog.SourceExact
	if d.Doubtful {
		price.Source = catalog.SourceDoubtful
	}
	marked = *l
	marked.Price, marked.FirstSeenAt, marked.PricedAt = &price, 0, 0
	return marked, true
}

// StepCounts says what became of a step's parts.
type StepCounts struct {
	Saved      catalog.SaveCounts
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
	Regions []catalog.Region // all that its answers stand for, Scope.Region first
}

// Page is what one read of a job brought.
type Page struct {
	Parts       []Part   // in any of the job's regions
	Present     []string // products that are there although nothing is shown of them, in all of them
	Items       []Item   // for jobs of other kinds in Scope.Region
	Next        string   // where a paged job goes on; empty: this was the last page
	Interrupted bool     // something may be missing
	// Gone says of an item that the store does not sell it in this region.
	Gone     bool
	Requests int
}

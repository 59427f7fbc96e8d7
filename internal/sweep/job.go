package sweep

import "gamedex/internal/catalog"

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

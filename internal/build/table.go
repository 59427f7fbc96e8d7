package build

import (
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
)

// Reading is one consistent look into the database.
type Reading interface {
	// Changes calls fn for each listing saved after generation since, and
	// returns the generation that the look shows.
	Changes(since int64, fn func(*catalog.Change) error) (generation int64, err error)
	// NewFacts and NewProse call fn for what has a number above after.
	NewFacts(after int64, fn func(id int64, f *catalog.Facts) error) error
	NewProse(after int64, fn func(id int64, fields catalog.ProseFields) error) error
	Prose(ids []int64, fn func(id int64, p *catalog.Prose) error) error
	// Listings is how many listings the look shows.
	Listings() (int, error)
}

// Source is the database as a builder needs it.
type Source interface {
	Read(ctx context.Context, fn func(Reading) error) error
}

// table is all listings in memory: what Merge and the index read. Facts,
// prices and link patterns that listings repeat are shared. A table follows
// the database by its changes and is never read again from the start.
type table struct {
	generation int64
	entries    []catalog.Entry
	at         map[listingKey]uint32

	news

	products map[string]uint32
	names    []string // product ids by number
	families []string // by product number: the first that a listing gave

	facts    map[int64]*catalog.Facts
	lastFact int64

	fields    []catalog.ProseFields // by catalog.ProseID
	lastProse int64
	proseIDs  map[int64]catalog.ProseID
	rowIDs    []int64 // database number by catalog.ProseID

	prices   map[catalog.Price]*catalog.Price
	patterns map[catalog.URLPattern]catalog.URLPattern
	locales  map[string]string
}

// listingKey is catalog.Key in one number, which maps hash faster than fields.
type listingKey uint64

func keyOf(product uint32, p catalog.Platform, r catalog.Region) listingKey {
	return listingKey(product)<<24 | listingKey(p)<<16 | listingKey(r[0])<<8 | listingKey(r[1])
}

func newTable() *table {
	return &table{
		news:     newNews(),
		at:       map[listingKey]uint32{},
		products: map[string]uint32{},
		facts:    map[int64]*catalog.Facts{},
		fields:   make([]catalog.ProseFields, 1),
		proseIDs: map[int64]catalog.ProseID{},
		rowIDs:   make([]int64, 1),
		prices:   map[catalog.Price]*catalog.Price{},
		patterns: map[catalog.URLPattern]catalog.URLPattern{},
		locales:  map[string]string{},
	}
}

// follow brings the table to the generation that the reading shows.
func (t *table) follow(r Reading) error {
	if t.generation == 0 {
		if err := t.makeRoom(r); err != nil {
			return err
		}
	}
	err := r.NewFacts(t.lastFact, func(id int64, f *catalog.Facts) error {
		t.facts[id] = f
		t.lastFact = max(t.lastFact, id)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read facts: %w", err)
	}
	err = r.NewProse(t.lastProse, func(id int64, fields catalog.ProseFields) error {
		t.proseIDs[id] = catalog.ProseID(len(t.fields))
		t.fields = append(t.fields, fields)
		t.rowIDs = append(t.rowIDs, id)
		t.lastProse = max(t.lastProse, id)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read prose: %w", err)
	}
	generation, err := r.Changes(t.generation, t.take)
	if err != nil {
		return fmt.Errorf("read changes: %w", err)
	}
	t.generation = generation
	t.closeElections()
	return nil
}

// makeRoom takes the memory for all listings at once: a table that grows by and
// by copies itself many times, and needs twice the room while it does.
func (t *table) makeRoom(r Reading) error {
	n, err := r.Listings()
	if err != nil {
		return fmt.Errorf("read listings: %w", err)
	}
	t.entries = slices.Grow(t.entries, n+n/64) // some new ones will come
	if len(t.at) == 0 {
		t.at = make(map[listingKey]uint32, n)
	}
	return nil
}

// take puts one changed listing into the table.
func (t *table) take(c *catalog.Change) error {
	facts, ok := t.facts[c.FactsID]
	if !ok {
		return fmt.Errorf("listing %s %s %s names facts %d, which do not exist",
			c.Platform, c.Region, c.Product, c.FactsID)
	}
	number := t.product(c.Product)
	product := t.names[number]
	e := catalog.Entry{
		Product: product, Locale: share(t.locales, c.Locale), Platform: c.Platform, Region: c.Region, Withdrawn: c.Withdrawn,
		Facts: facts, Prose: t.proseIDs[c.ProseID], Price: t.price(c.Price),
		URL:        share(t.patterns, catalog.PatternOf(c.StoreURL, product, facts.Slug)),
		Popularity: c.Popularity,
		FirstSeen:  c.FirstSeen, ObservedAt: c.ObservedAt, PricedAt: c.PricedAt,
	}
	key := keyOf(number, c.Platform, c.Region)
	t.hear(number, facts.Family)
	if i, known := t.at[key]; known {
		t.note(i, number, &e)
		t.entries[i] = e
		return nil
	}
	t.others, t.places[c.Region] = true, true
	t.at[key] = uint32(len(t.entries))
	t.entries = append(t.entries, e)
	return nil
}

func (t *table) product(id string) uint32 {
	if n, ok := t.products[id]; ok {
		return n
	}
	n := uint32(len(t.names))
	t.products[id] = n
	t.names = append(t.names, id)
	t.families = append(t.families, "")
	return n
}

// mostShared bounds the intern maps: beyond it sharing starts anew, so that
// years of price changes do not stay in memory.
const mostShared = 1 << 20

func (t *table) price(p *catalog.Price) *catalog.Price {
	if p == nil {
		return nil
	}
	if shared, ok := t.prices[*p]; ok {
		return shared
	}
	if len(t.prices) >= mostShared {
		clear(t.prices)
	}
	own := *p
	t.prices[own] = &own
	return &own
}

// share returns the value that stands for all that equal v.
func share[T comparable](shared map[T]T, v T) T {
	if one, ok := shared[v]; ok {
		return one
	}
	if len(shared) >= mostShared {
		clear(shared)
	}
	shared[v] = v
	return v
}

// regions lists the regions in which a platform has listings, sorted.
func (t *table) regions() map[catalog.Platform][]catalog.Region {
	type place struct {
		p catalog.Platform
		r catalog.Region
	}
	seen := map[place]bool{}
	last := place{}
	for i := range t.entries {
		e := &t.entries[i]
		if at := (place{e.Platform, e.Region}); !e.Withdrawn && at != last {
			seen[at], last = true, at
		}
	}
	out := map[catalog.Platform][]catalog.Region{}
	for at := range seen {
		out[at.p] = append(out[at.p], at.r)
	}
	for _, regions := range out {
		slices.SortFunc(regions, catalog.Region.Compare)
	}
	return out
}

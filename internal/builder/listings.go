package builder

import (
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/history"
	"gamedex/internal/index/pack"
)

// Reading is one read transaction of the database.
type Reading interface {
	// Epoch returns the epoch of the database; see Database.
	Epoch() (string, error)
	// Changes calls fn for each listing saved after generation since, and
	// returns the generation of the transaction.
	Changes(since int64, fn func(*catalog.Change) error) (generation int64, err error)
	// NewFacts and NewProse call fn for the records with a number above after.
	NewFacts(after int64, fn func(id int64, f *catalog.Facts) error) error
	NewProse(after int64, fn func(id int64, fields catalog.ProseFields) error) error
	Prose(ids []int64, fn func(id int64, p *catalog.Prose) error) error
	// Listings returns the number of listings.
	Listings() (int, error)
	// AllSeries calls fn for each listing that has shown more than one step, Series for
	// those of the keys that have. fn does not keep the steps.
	AllSeries(fn func(history.Series) error) error
	Series(keys []catalog.Key, fn func(history.Series) error) error
}

// Listings are the listings of the database, as a build reads them.
type Listings interface {
	Read(ctx context.Context, fn func(Reading) error) error
}

// listingTable holds all listings in memory for merging and packing. Listings share
// equal facts, prices and link patterns. After the first read, an update reads only
// the changes of the database.
type listingTable struct {
	generation int64
	entries    []catalog.Entry
	at         map[listingKey]uint32
	changes    changes

	lows    *pack.Lows    // nil: not read yet
	changed []catalog.Key // listings that changed since the lows were read

	products map[string]uint32
	names    []string // product ids by number
	families []string // by product number: the first that a listing has

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

// listingKey is a catalog.Key as one number, which maps hash faster.
type listingKey uint64

func keyOf(product uint32, p catalog.Platform, r catalog.Region) listingKey {
	return listingKey(product)<<24 | listingKey(p)<<16 | listingKey(r[0])<<8 | listingKey(r[1])
}

func newListingTable() *listingTable {
	return &listingTable{
		changes:  changes{regions: map[catalog.Region]bool{}, ambiguous: map[uint32]bool{}, familyWas: map[familyProduct]string{}},
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

// update updates the table to the generation of the reading.
func (t *listingTable) update(r Reading) error {
	if t.generation == 0 {
		// Allocate the memory for all listings at once. A table that grows in steps
		// is copied many times and needs twice the memory meanwhile.
		n, err := r.Listings()
		if err != nil {
			return fmt.Errorf("read listings: %w", err)
		}
		t.entries = slices.Grow(t.entries, n+n/64) // with room for new ones
		if len(t.at) == 0 {
			t.at = make(map[listingKey]uint32, n)
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
	generation, err := r.Changes(t.generation, t.apply)
	if err != nil {
		return fmt.Errorf("read changes: %w", err)
	}
	t.generation = generation
	for p, before := range t.changes.familyWas {
		t.changes.others = t.changes.others || t.familyOf(p) != before
	}
	clear(t.changes.familyWas)
	return nil
}

// apply updates the table with one changed listing.
func (t *listingTable) apply(c *catalog.Change) error {
	facts, ok := t.facts[c.FactsID]
	if !ok {
		return fmt.Errorf("listing %s %s %s refers to facts %d, which do not exist",
			c.Platform, c.Region, c.Product, c.FactsID)
	}
	number, known := t.products[c.Product]
	if !known {
		number = uint32(len(t.names))
		t.products[c.Product] = number
		t.names, t.families = append(t.names, c.Product), append(t.families, "")
	}
	product := t.names[number]
	e := catalog.Entry{
		Product: product, Locale: share(t.locales, c.Locale), Platform: c.Platform, Region: c.Region, Withdrawn: c.Withdrawn,
		Facts: facts, Prose: t.proseIDs[c.ProseID], Price: t.sharePrice(c.Price),
		URL:        share(t.patterns, catalog.PatternOf(c.StoreURL, product, facts.Slug)),
		Popularity: c.Popularity,
		FirstSeen:  c.FirstSeen, ObservedAt: c.ObservedAt, PricedAt: c.PricedAt,
	}
	if t.lows != nil {
		t.changed = append(t.changed, catalog.Key{Platform: c.Platform, Region: c.Region, Product: product})
	}
	key := keyOf(number, c.Platform, c.Region)
	switch first := t.families[number]; {
	case facts.Family == "" || facts.Family == first:
	case first == "":
		t.families[number] = facts.Family
	default:
		t.changes.ambiguous[number] = true
	}
	if i, known := t.at[key]; known {
		t.noteChange(i, number, &e)
		t.entries[i] = e
		return nil
	}
	t.changes.others, t.changes.regions[c.Region] = true, true
	t.at[key] = uint32(len(t.entries))
	t.entries = append(t.entries, e)
	return nil
}

// updateLows updates the lows, after update in the same transaction. If the windows end
// with another day, it reads the series of all listings, else those of the listings that
// changed. It keeps no series.
func (t *listingTable) updateLows(r Reading, day int64) error {
	changed := t.changed
	t.changed = nil
	if t.lows != nil && t.lows.Day() == day {
		return r.Series(changed, t.setLows)
	}
	t.lows = pack.NewLows(day)
	return r.AllSeries(t.setLows)
}

// setLows sets the lows of a listing that is on sale.
func (t *listingTable) setLows(s history.Series) error {
	number, known := t.products[s.Product]
	if !known {
		return nil
	}
	i, known := t.at[keyOf(number, s.Platform, s.Region)]
	if !known || t.entries[i].Withdrawn {
		return nil
	}
	return t.lows.Set(i, &t.entries[i], s.Steps)
}

// maxShared bounds the maps of shared values. A full map is cleared, so that the
// values of years of price changes do not stay in memory.
const maxShared = 1 << 20

func (t *listingTable) sharePrice(p *catalog.Price) *catalog.Price {
	if p == nil {
		return nil
	}
	if shared, ok := t.prices[*p]; ok {
		return shared
	}
	if len(t.prices) >= maxShared {
		clear(t.prices)
	}
	own := *p
	t.prices[own] = &own
	return &own
}

// share returns the shared value that equals v.
func share[T comparable](shared map[T]T, v T) T {
	if one, ok := shared[v]; ok {
		return one
	}
	if len(shared) >= maxShared {
		clear(shared)
	}
	shared[v] = v
	return v
}

// regions returns, by platform, the regions with listings, sorted.
func (t *listingTable) regions() map[catalog.Platform][]catalog.Region {
	seen := map[catalog.Key]bool{} // without products
	last := catalog.Key{}
	for i := range t.entries {
		e := &t.entries[i]
		if at := (catalog.Key{Platform: e.Platform, Region: e.Region}); !e.Withdrawn && at != last {
			seen[at], last = true, at
		}
	}
	out := map[catalog.Platform][]catalog.Region{}
	for at := range seen {
		out[at.Platform] = append(out[at.Platform], at.Region)
	}
	for _, regions := range out {
		slices.SortFunc(regions, catalog.Region.Compare)
	}
	return out
}

// allRegions returns the regions with listings on any platform, sorted.
func (t *listingTable) allRegions() (all []catalog.Region) {
	for _, regions := range t.regions() {
		all = append(all, regions...)
	}
	slices.SortFunc(all, catalog.Region.Compare)
	return slices.Compact(all)
}

// loadProse returns the prose of the cards. It reads only prose that is not in held,
// because most cards have the same prose as in the last build. rowIDs are the numbers
// in the database.
func loadProse(r Reading, held map[catalog.ProseID]*catalog.Prose, rowIDs []int64, cards []catalog.Card) (map[catalog.ProseID]*catalog.Prose, error) {
	wanted := map[catalog.ProseID]*catalog.Prose{}
	numbers := map[int64]catalog.ProseID{}
	var missing []int64
	for i := range cards {
		for id := range cards[i].ProseIDs() {
			if _, seen := wanted[id]; seen || id == 0 {
				continue
			}
			wanted[id] = held[id]
			if held[id] == nil {
				missing = append(missing, rowIDs[id])
				numbers[rowIDs[id]] = id
			}
		}
	}
	err := r.Prose(missing, func(row int64, p *catalog.Prose) error {
		wanted[numbers[row]] = p
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read prose: %w", err)
	}
	for id, p := range wanted {
		if p == nil {
			return nil, fmt.Errorf("prose %d does not exist", rowIDs[id])
		}
	}
	return wanted, nil
}

// changes are the changes of the listings since the last publication: only prices, or
// also other fields.
type changes struct {
	repriced []uint32 // entries, some of them twice
	others   bool     // something other than prices changed

	// A price change can move a product to another family, because
	// merge.FamilyOf depends on which listing was seen last. The fields below
	// find such products. A publication does not reset them.
	regions   map[catalog.Region]bool  // of all listings
	ambiguous map[uint32]bool          // products whose listings have several families
	familyWas map[familyProduct]string // families of changed products before this update
}

// forget forgets the changes after they were published.
func (c *changes) forget() { c.repriced, c.others = c.repriced[:0], false }

// repricedRegions returns the regions of the listings whose prices changed.
func (t *listingTable) repricedRegions() map[catalog.Region]bool {
	regions := map[catalog.Region]bool{}
	for _, i := range t.changes.repriced {
		regions[t.entries[i].Region] = true
	}
	return regions
}

// familyProduct identifies a product in merge.FamilyOf.
type familyProduct struct {
	number   uint32
	platform catalog.Platform
	slug     string // on the PC store
}

// noteChange records that entry i is about to become e.
func (t *listingTable) noteChange(i, number uint32, e *catalog.Entry) {
	c, before := &t.changes, &t.entries[i]
	switch {
	case c.others:
	case !merge.OnlyRepriced(before, e), len(c.repriced) > len(t.entries):
		c.others = true // the second condition bounds the list after a long time without publication
	default:
		c.repriced = append(c.repriced, i)
		if !c.ambiguous[number] {
			return
		}
		p := familyProduct{number: number, platform: before.Platform}
		if p.platform == catalog.PCStore {
			p.slug = before.Facts.Slug
		}
		if _, known := c.familyWas[p]; !known {
			c.familyWas[p] = t.familyOf(p)
		}
	}
}

func (t *listingTable) familyOf(p familyProduct) string {
	var listings []*catalog.Entry
	for region := range t.changes.regions {
		if i, known := t.at[keyOf(p.number, p.platform, region)]; known {
			if e := &t.entries[i]; p.platform != catalog.PCStore || e.Facts.Slug == p.slug {
				listings = append(listings, e)
			}
		}
	}
	return merge.FamilyOf(listings)
}

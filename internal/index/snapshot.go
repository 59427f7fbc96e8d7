package index

import (
	"context"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// Snapshot is the opened blobs of one build. It never changes and is safe for
// concurrent use.
type Snapshot struct {
	catalog   *Catalog
	prices    *Prices
	lows      *lows // nil: none
	discounts *discounts
}

// Size returns the number of bytes of all blobs, which is the memory they use.
func (s *Snapshot) Size() int {
	size := s.catalog.File.Size() + s.prices.Size
	if s.lows != nil {
		size += s.lows.size
	}
	return size
}

// Region is a region of the snapshot with its texts. Numbers rise in the
// alphabetical order of alpha-2 codes.
type Region struct {
	No     uint8
	Code   catalog.Region
	Alpha2 string // upper-case
	Alpha3 string
	Lower  string // lower-case alpha-2
}

// Key returns the region's name in the platform's native format: alpha-2 on the
// console store, alpha-3 on the PC store.
func (r *Region) Key(p catalog.Platform) string {
	if p == catalog.PCStore {
		return r.Alpha3
	}
	return r.Alpha2
}

// Active returns the active regions in configured order. Callers must not
// change it.
func (s *Snapshot) Active() []Region { return s.catalog.active }

// RegionTable returns the regions of rows, by number. Callers must not change it.
func (s *Snapshot) RegionTable() []Region { return s.catalog.regions }

// Region returns the region with the number of a row.
func (s *Snapshot) Region(no uint8) *Region { return &s.catalog.regions[no] }

// RegionNo returns the number of a region, false if no row has it.
func (s *Snapshot) RegionNo(r catalog.Region) (uint8, bool) {
	no, ok := s.catalog.numbers[r]
	return no, ok
}

// Regions returns all regions in which a platform has listings, sorted, active
// or not. Callers must not change it.
func (s *Snapshot) Regions(p catalog.Platform) []catalog.Region { return s.catalog.Platforms[p] }

// ListedRegions returns the regions in which any platform has listings, sorted, active
// or not.
func (s *Snapshot) ListedRegions() (list []catalog.Region) {
	for _, p := range catalog.Platforms() {
		list = append(list, s.Regions(p)...)
	}
	slices.SortFunc(list, catalog.Region.Compare)
	return slices.Compact(list)
}

// UnservedRegions returns the regions, sorted, in which cards are sold that have no listing
// in an active region and so are not served. Callers must not change it.
func (s *Snapshot) UnservedRegions() []catalog.Region { return s.catalog.Unserved }

// Serves reports whether a platform has a card.
func (s *Snapshot) Serves(p catalog.Platform) bool { return s.catalog.Served[p] }

// Currency returns the currency with the number of a row; "" for 0.
func (s *Snapshot) Currency(no uint8) money.Currency { return s.prices.Currencies[no] }

// Len returns the number of served cards.
func (s *Snapshot) Len() int { return s.catalog.Len() }

// CatalogNumber is different for each opened catalog of the process. In snapshots with the same number the
// same ids lead to cards with the same numbers.
func (s *Snapshot) CatalogNumber() uint64 { return s.catalog.number }

// Card returns card n of 0..Len()-1; the order is the final one of search.
func (s *Snapshot) Card(n int) Card { return Card{s, uint32(n)} }

// PassedEnds returns how many distinct discount ends of the snapshot have passed at now
// (Unix milliseconds). As long as it is the same, time does not change answers.
func (s *Snapshot) PassedEnds(now int64) int {
	ends := s.prices.Ends
	return sort.Search(ends.Len(), func(i int) bool { return int64(ends.At(i)) > now })
}

// View is everything that an answer is made of, taken at one time: cards,
// prices, rates and platform states agree with each other.
type View struct {
	*Snapshot
	Rates        money.Rates // zero: no table yet
	Platforms    []PlatformState
	Seq          int64  // of the manifest
	IndexBuiltAt int64  // Unix milliseconds
	Source       uint64 // a hash of Published.Source
	Currencies   uint32 // a hash of the currencies that have a rate
	ID           uint64 // different for each view of the process

	usd []money.Converter // by currency number

	kept *lazy[any]
}

// Published is what is published with a snapshot.
type Published struct {
	Seq       int64       // of the manifest
	Source    string      // identifies the database, its epoch and the lineage: numbers of another are not comparable
	Rates     money.Rates // zero: no table yet
	Platforms []PlatformState
	BuiltAt   catalog.Millis // when the snapshot was built
}

// views counts the views of the process.
var views atomic.Uint64

// NewView joins a snapshot with what is published with it.
func NewView(s *Snapshot, p Published) *View {
	v := &View{Snapshot: s, Rates: p.Rates, Platforms: p.Platforms, Seq: p.Seq, IndexBuiltAt: int64(p.BuiltAt), ID: views.Add(1), kept: new(lazy[any])}
	for _, c := range s.prices.Currencies {
		v.usd = append(v.usd, p.Rates.Converter(c, money.USD))
	}
	source := fnv.New64a()
	_, _ = io.WriteString(source, p.Source)
	v.Source = source.Sum64()
	rated := fnv.New32a()
	for _, c := range append(p.Rates.Currencies(), p.Rates.Base()) {
		_, _ = io.WriteString(rated, string(c)+" ")
	}
	v.Currencies = rated.Sum32()
	return v
}

// Keep returns what make returned when Keep was first called for the view. It is for a cache of what
// answers show, which ends with the view.
func (v *View) Keep(make func() any) any { return *v.kept.get(make) }

// Since is the time between two answers: an earlier one, made from this snapshot or an earlier
// one of the same database, and one made from this snapshot.
type Since struct {
	v        *View
	seq      int64 // of the earlier snapshot
	from, to int64 // the times of the answers, the earlier one first
	ended    bool  // a discount ended between them
}

// Since returns the time since an answer that was made from the snapshot seq at the time at,
// until now, both in Unix milliseconds. Clocks may differ: at can be after now.
func (v *View) Since(seq, at, now int64) Since {
	from, to := min(at, now), max(at, now)
	return Since{v, seq, from, to, v.PassedEnds(from) != v.PassedEnds(to)}
}

// KnowsChanges reports whether the snapshot knows which publication last changed each card. An older
// version of the program built one that does not.
func (s *Snapshot) KnowsChanges() bool { return s.Len() == 0 || s.prices.Changes.Len() > 0 }

// Changed reports whether the two answers can differ in what they show of the card, except
// for times of prices, rates, lows, and other cards. It may also
// return true if they do not differ.
func (s *Since) Changed(c Card) bool {
	if changes := s.v.prices.Changes; s.seq != s.v.Seq {
		if changes.Len() == 0 { // an older version of the program built it
			return true
		}
		if last := changes.At(int(c.n)); int64(last) > s.seq || last == math.MaxUint32 {
			return true
		}
	}
	return s.ended && c.hasRow(func(r Row) bool { return s.from < r.EndsAt && r.EndsAt <= s.to })
}

// WithoutRate returns the currencies of prices that cannot be converted to dollars.
func (v *View) WithoutRate() (codes []string) {
	for i, c := range v.prices.Currencies {
		if _, ok := v.usd[i].Cents(100); c != "" && !ok {
			codes = append(codes, string(c))
		}
	}
	return codes
}

// USD converts the row's current price to cents of the dollar; false if it has
// no number or its currency no rate. A price in dollars needs no table of rates.
func (v *View) USD(r *Row) (cents int64, ok bool) { return v.Cents(r.Currency, r.Current) }

// Cents converts an amount in the currency with the number of a row to cents of the dollar;
// false if it is None or the currency has no rate.
func (v *View) Cents(currency uint8, a money.Amount) (cents int64, ok bool) {
	return v.usd[currency].Cents(a)
}

// State returns what is known about a platform; the zero state if nothing is.
func (v *View) State(p catalog.Platform) PlatformState {
	for _, s := range v.Platforms {
		if s.Platform == p {
			return s
		}
	}
	return PlatformState{Platform: p}
}

// PlatformState is what answers show about a platform besides its listings.
type PlatformState struct {
	Platform catalog.Platform
	// Status is "operational", "degraded" or "outage".
	Status string
	// Collecting reports whether collection from the store is switched on, and
	// FirstSweepDone whether its first sweep of every active region is complete.
	Collecting, FirstSweepDone bool
	// Freshness is how old the listings are, region by region, sorted by region.
	Freshness []catalog.Freshness
}

// Equal reports whether s and o lead to the same answers.
func (s PlatformState) Equal(o PlatformState) bool {
	return s.Platform == o.Platform && s.Status == o.Status && s.Collecting == o.Collecting &&
		s.FirstSweepDone == o.FirstSweepDone && slices.Equal(s.Freshness, o.Freshness)
}

// Live holds the newest view. The zero value holds none. It is safe for
// concurrent use.
type Live struct {
	view    atomic.Pointer[View]
	mu      sync.Mutex
	swapped chan struct{} // closed by the next Swap; nil: nobody waits
}

// View returns the newest view, nil before the first.
func (l *Live) View() *View { return l.view.Load() }

// Swap makes v the view of all requests that begin after it.
func (l *Live) Swap(v *View) {
	l.view.Store(v)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.swapped != nil {
		close(l.swapped)
		l.swapped = nil
	}
}

// Await returns the newest view as soon as its number is seq or higher, or when ctx ends.
func (l *Live) Await(ctx context.Context, seq int64) *View {
	for {
		l.mu.Lock()
		v := l.View()
		if v != nil && v.Seq >= seq {
			l.mu.Unlock()
			return v
		}
		if l.swapped == nil {
			l.swapped = make(chan struct{})
		}
		swapped := l.swapped
		l.mu.Unlock()
		select {
		case <-swapped:
		case <-ctx.Done():
			return l.View()
		}
	}
}

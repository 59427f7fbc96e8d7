package index

import (
	"sort"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/search"
	"gamedex/internal/snapshot"
)

// Snapshot is one opened pair of blobs. It never changes and is safe for
// concurrent use.
type Snapshot struct {
	*cards
	*prices
}

// cards is an opened catalog blob.
type cards struct {
	bytes     int    // of the blob
	identity  string // what a prices blob names
	regions   []Region
	numbers   map[catalog.Region]uint8
	active    []Region
	platforms map[catalog.Platform][]catalog.Region

	strings snapshot.Strings
	records []byte
	offers  []byte
	texts   snapshot.U32s
	links   snapshot.U32s
	ids     slots
	keys    slots
	moved   snapshot.U32s
	search  *search.Index
}

// prices is an opened prices blob.
type prices struct {
	bytes       int // of the blob
	identity    string
	words       snapshot.Strings
	currencies  []money.Currency // 0 is none
	rows        []byte
	regionCount int // above the number of any row's region
	cardRows    snapshot.U32s
	offerRows   snapshot.U32s
	points      []byte
	extras      []byte
	ends        snapshot.U64s
	revs        snapshot.U64s
}

// Size is the number of bytes of both blobs, which is what they take in memory.
func (s *Snapshot) Size() int { return s.cards.bytes + s.prices.bytes }

// Region is a region of the snapshot with its texts. Numbers rise in the
// alphabetical order of alpha-2 codes.
type Region struct {
	No     uint8
	Code   catalog.Region
	Alpha2 string // upper-case
	Alpha3 string
	Lower  string // lower-case alpha-2
}

// Key is the region's name in the platform's native format: alpha-2 on the
// console store, alpha-3 on the PC store.
func (r *Region) Key(p catalog.Platform) string {
	if p == catalog.PCStore {
		return r.Alpha3
	}
	return r.Alpha2
}

// Active lists the active regions in configured order. Callers must not
// change it.
func (s *Snapshot) Active() []Region { return s.active }

// Region returns the region with a number that a row gave.
func (s *Snapshot) Region(no uint8) *Region { return &s.cards.regions[no] }

// RegionNo returns the number of a region, false if no row has it.
func (s *Snapshot) RegionNo(r catalog.Region) (uint8, bool) {
	no, ok := s.numbers[r]
	return no, ok
}

// Regions lists all regions in which a platform has listings, sorted, active
// or not. Callers must not change it.
func (s *Snapshot) Regions(p catalog.Platform) []catalog.Region { return s.platforms[p] }

// Currency returns the currency with a number that a row gave; "" for 0.
func (s *Snapshot) Currency(no uint8) money.Currency { return s.currencies[no] }

// Len is the number of served cards.
func (s *Snapshot) Len() int { return len(s.records) / cardSize }

// Card returns card n of 0..Len()-1; the order is the final one of search.
func (s *Snapshot) Card(n int) Card { return Card{s, uint32(n)} }

// PassedEnds counts the distinct discount ends of the snapshot that have
// passed at now (Unix milliseconds): answers change only when it does.
func (s *Snapshot) PassedEnds(now int64) int {
	return sort.Search(s.ends.Len(), func(i int) bool { return int64(s.ends.At(i)) > now })
}

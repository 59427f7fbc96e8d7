package index

import (
	"cmp"
	"sync"
	"sync/atomic"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/search"
	"gamedex/internal/snapshot"
)

// Format is the version of the blobs' contents that this program writes. It reads those
// of Formats.
const Format = layout.Format

// Formats returns the versions that this program reads: Format and the one before.
func Formats() snapshot.Versions { return layout.Read() }

// Open checks two blobs at the same time and joins them: checking reads every byte, so two
// processors take half as long. It keeps both, which must not change. A blob that is damaged, or
// prices that belong to another catalog, are a [*snapshot.DamageError]; one that another version of
// the program wrote is a [*snapshot.VersionError]. If both fail, it returns the catalog's error.
func Open(catalogBlob, pricesBlob []byte) (*Snapshot, error) {
	var p *Prices
	var errPrices error
	var opening sync.WaitGroup
	opening.Go(func() { p, errPrices = OpenPrices(pricesBlob) })
	c, err := OpenCatalog(catalogBlob)
	opening.Wait()
	if err := cmp.Or(err, errPrices); err != nil {
		return nil, err
	}
	return Join(c, p)
}

// Join joins two opened blobs. Errors are those of [Open].
func Join(c *Catalog, p *Prices) (*Snapshot, error) {
	if err := p.CheckBelongs(c.Identity, c.Len(), c.OfferCount(), len(c.regions)); err != nil {
		return nil, err
	}
	return &Snapshot{catalog: c, prices: p, discounts: new(discounts)}, nil
}

// Prices is an opened prices blob.
type Prices struct {
	layout.Prices
	discounted func() [][]uint32 // region → cards
}

// OpenPrices checks a prices blob and keeps it. Errors are those of [Open].
func OpenPrices(blob []byte) (*Prices, error) {
	p, err := layout.OpenPrices(blob)
	if err != nil {
		return nil, err
	}
	return &Prices{*p, sync.OnceValue(func() [][]uint32 { return discountedCards(p) })}, nil
}

// Catalog is an opened catalog blob.
type Catalog struct {
	layout.Catalog
	number    uint64 // different for each opened catalog of the process
	regions   []Region
	numbers   map[catalog.Region]uint8
	active    []Region
	languages map[catalog.Language]Language
	search    *search.Index
	columns   lazy[Columns]
	games     lazy[Games]
	hosts     lazy[map[storeHost]struct{}] // of store links
}

// catalogs counts the catalogs that the process opened.
var catalogs atomic.Uint64

// OpenCatalog checks a catalog blob and keeps it. Errors are those of [Open].
func OpenCatalog(blob []byte) (*Catalog, error) {
	opened, err := layout.OpenCatalog(blob)
	if err != nil {
		return nil, err
	}
	c := &Catalog{Catalog: *opened, number: catalogs.Add(1), languages: map[catalog.Language]Language{}}
	for i := range c.Languages.Len() {
		number := c.Languages.At(i)
		c.languages[catalog.Language(c.Strings.At(number))] = Language(number)
	}
	if err := c.readRegions(); err != nil {
		return nil, err
	}
	if c.search, err = search.Open(c.File); err != nil {
		return nil, err
	}
	if c.search.Docs() != c.Len() {
		return nil, snapshot.Damaged(layout.SectionCards, "%d cards, but %d in the search index", c.Len(), c.search.Docs())
	}
	return c, nil
}

func (c *Catalog) readRegions() error {
	if len(c.Regions) > layout.MaxRegions {
		return snapshot.Damaged(layout.SectionMeta, "%d regions, at most %d", len(c.Regions), layout.MaxRegions)
	}
	c.numbers = make(map[catalog.Region]uint8, len(c.Regions))
	for i, r := range c.Regions {
		if i > 0 && c.Regions[i-1].Compare(r) >= 0 {
			return snapshot.Damaged(layout.SectionMeta, "region %s comes after %s", r, c.Regions[i-1])
		}
		c.numbers[r] = uint8(i)
		c.regions = append(c.regions, Region{uint8(i), r, r.String(), r.Alpha3(), r.Lower()})
	}
	for _, r := range c.Active {
		no, known := c.numbers[r]
		if !known {
			return snapshot.Damaged(layout.SectionMeta, "active region %s has no number", r)
		}
		c.active = append(c.active, c.regions[no])
	}
	return nil
}

package index

import (
	"cmp"
	"math"
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
	if err := p.CheckBelongs(c.identity, c.len(), c.offerCount(), len(c.regions)); err != nil {
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
	size      int    // of the blob, in bytes
	identity  string // named by the prices blobs that belong to it
	number    uint64 // different for each opened catalog of the process
	regions   []Region
	numbers   map[catalog.Region]uint8
	active    []Region
	platforms map[catalog.Platform][]catalog.Region
	unserved  []catalog.Region
	served    [math.MaxUint8 + 1]bool // by platform: whether it has a card

	strings snapshot.Strings
	records []byte
	offers  []byte
	texts   snapshot.U32s
	links   snapshot.U32s
	ids     layout.HashTable
	keys    layout.HashTable
	moved   snapshot.U32s
	ranking []byte
	local   local
	search  *search.Index
	columns lazy[Columns]
	games   lazy[Games]
	hosts   lazy[map[storeHost]struct{}] // of store links
}

func (c *Catalog) len() int { return len(c.records) / layout.CardSize }

func (c *Catalog) offerCount() int { return len(c.offers) / layout.OfferSize }

// catalogs counts the catalogs that the process opened.
var catalogs atomic.Uint64

// OpenCatalog checks a catalog blob and keeps it. Errors are those of [Open].
func OpenCatalog(blob []byte) (*Catalog, error) {
	f, err := snapshot.Open(blob, layout.CatalogKind, layout.Read())
	if err != nil {
		return nil, err
	}
	var meta layout.CatalogMeta
	if err := layout.ReadMeta(f, &meta); err != nil {
		return nil, err
	}
	c := &Catalog{size: f.Size(), identity: meta.Identity, number: catalogs.Add(1)}
	if err := c.readRegions(meta); err != nil {
		return nil, err
	}
	if c.strings, err = f.Strings(layout.SectionStrings); err != nil {
		return nil, err
	}
	err = cmp.Or(
		layout.ReadRecords(f, layout.SectionCards, layout.CardSize, &c.records), layout.ReadRecords(f, layout.SectionOffers, layout.OfferSize, &c.offers),
		layout.ReadRecords(f, layout.SectionTexts, 4, &c.texts), layout.ReadRecords(f, layout.SectionLinks, 4, &c.links),
		layout.ReadRecords(f, layout.SectionMoved, 4, &c.moved), layout.ReadRecords(f, layout.SectionRanking, layout.RankingSize, &c.ranking))
	if err != nil {
		return nil, err
	}
	if n := len(c.ranking) / layout.RankingSize; n != c.len() {
		return nil, snapshot.Damaged(layout.SectionRanking, "%d records, want %d", n, c.len())
	}
	if err := c.openLocal(f); err != nil {
		return nil, err
	}
	if c.ids, err = layout.OpenHashTable(f, layout.SectionIDs, c.len()); err != nil {
		return nil, err
	}
	if c.keys, err = layout.OpenHashTable(f, layout.SectionKeys, c.len()); err != nil {
		return nil, err
	}
	if c.search, err = search.Open(f); err != nil {
		return nil, err
	}
	if c.search.Docs() != c.len() {
		return nil, snapshot.Damaged(layout.SectionCards, "%d cards, but %d in the search index", c.len(), c.search.Docs())
	}
	return c, c.check()
}

func (c *Catalog) readRegions(meta layout.CatalogMeta) error {
	codes, err := parseRegions(meta.Regions)
	if err != nil {
		return err
	}
	if len(codes) > layout.MaxRegions {
		return snapshot.Damaged(layout.SectionMeta, "%d regions, at most %d", len(codes), layout.MaxRegions)
	}
	c.numbers = make(map[catalog.Region]uint8, len(codes))
	for i, r := range codes {
		if i > 0 && codes[i-1].Compare(r) >= 0 {
			return snapshot.Damaged(layout.SectionMeta, "region %s comes after %s", r, codes[i-1])
		}
		c.numbers[r] = uint8(i)
		c.regions = append(c.regions, Region{uint8(i), r, r.String(), r.Alpha3(), r.Lower()})
	}
	active, err := parseRegions(meta.Active)
	if err != nil {
		return err
	}
	for _, r := range active {
		no, known := c.numbers[r]
		if !known {
			return snapshot.Damaged(layout.SectionMeta, "active region %s has no number", r)
		}
		c.active = append(c.active, c.regions[no])
	}
	c.platforms = make(map[catalog.Platform][]catalog.Region, len(meta.Platforms))
	for name, list := range meta.Platforms {
		p, err := catalog.ParsePlatform(name)
		if err != nil {
			return snapshot.Damaged(layout.SectionMeta, "%v", err)
		}
		if c.platforms[p], err = parseRegions(list); err != nil {
			return err
		}
	}
	c.unserved, err = parseRegions(meta.Unserved)
	return err
}

func parseRegions(codes []string) ([]catalog.Region, error) {
	out := make([]catalog.Region, 0, len(codes))
	for _, code := range codes {
		r, err := catalog.ParseRegion(code)
		if err != nil {
			return nil, snapshot.Damaged(layout.SectionMeta, "%v", err)
		}
		out = append(out, r)
	}
	return out, nil
}

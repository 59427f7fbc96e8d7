package index

import (
	"cmp"
	"encoding/json"
	"sync"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/search"
	"gamedex/internal/snapshot"
)

// Open checks two blobs and joins them. It keeps both; they must not change
// any more. A blob that is damaged, or prices that belong to another catalog,
// are a [*snapshot.DamageError]; one that another version of the program wrote
// is a [*snapshot.VersionError].
func Open(catalogBlob, pricesBlob []byte) (*Snapshot, error) {
	c, p, err := both(
		func() (*cards, error) { return openCards(catalogBlob) },
		func() (*prices, error) { return openPrices(pricesBlob) })
	if err != nil {
		return nil, err
	}
	return join(c, p)
}

// both opens the two blobs at the same time: checking is reading every byte, so
// two processors take half as long. Of two errors the catalog's counts.
func both(openCards func() (*cards, error), openPrices func() (*prices, error)) (c *cards, p *prices, err error) {
	var errPrices error
	var opening sync.WaitGroup
	opening.Go(func() { p, errPrices = openPrices() })
	c, err = openCards()
	opening.Wait()
	return c, p, cmp.Or(err, errPrices)
}

// catalogMeta is the section "meta" of a catalog blob. Regions are alpha-2.
type catalogMeta struct {
	Identity  string              `json:"identity"`
	Regions   []string            `json:"regions"` // by number
	Active    []string            `json:"active"`  // in configured order
	Platforms map[string][]string `json:"platforms"`
}

// pricesMeta is the section "meta" of a prices blob.
type pricesMeta struct {
	Catalog string `json:"catalog"` // identity of the catalog it belongs to
}

func readMeta(f *snapshot.File, into any) error {
	b, err := f.Section(secMeta)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return snapshot.Damaged(secMeta, "%v", err)
	}
	return nil
}

func openCards(blob []byte) (*cards, error) {
	f, err := snapshot.Open(blob, catalogKind, Format)
	if err != nil {
		return nil, err
	}
	var meta catalogMeta
	if err := readMeta(f, &meta); err != nil {
		return nil, err
	}
	c := &cards{bytes: f.Size(), identity: meta.Identity}
	if err := c.readRegions(meta); err != nil {
		return nil, err
	}
	if err := c.readSections(f); err != nil {
		return nil, err
	}
	if c.search, err = search.Open(f); err != nil {
		return nil, err
	}
	if n := len(c.records) / cardSize; c.search.Docs() != n {
		return nil, snapshot.Damaged(secCards, "%d cards, but %d in the search index", n, c.search.Docs())
	}
	return c, c.check()
}

func (c *cards) readRegions(meta catalogMeta) error {
	codes, err := readCodes(meta.Regions)
	if err != nil {
		return err
	}
	if len(codes) > 256 {
		return snapshot.Damaged(secMeta, "%d regions, at most 256", len(codes))
	}
	c.numbers = make(map[catalog.Region]uint8, len(codes))
	for i, r := range codes {
		if i > 0 && codes[i-1].Compare(r) >= 0 {
			return snapshot.Damaged(secMeta, "region %s stands after %s", r, codes[i-1])
		}
		c.numbers[r] = uint8(i)
		c.regions = append(c.regions, Region{uint8(i), r, r.String(), r.Alpha3(), r.Lower()})
	}
	active, err := readCodes(meta.Active)
	if err != nil {
		return err
	}
	for _, r := range active {
		no, known := c.numbers[r]
		if !known {
			return snapshot.Damaged(secMeta, "active region %s has no number", r)
		}
		c.active = append(c.active, c.regions[no])
	}
	return c.readPlatforms(meta.Platforms)
}

func (c *cards) readPlatforms(regions map[string][]string) error {
	c.platforms = make(map[catalog.Platform][]catalog.Region, len(regions))
	for name, list := range regions {
		p, err := catalog.ParsePlatform(name)
		if err != nil {
			return snapshot.Damaged(secMeta, "%v", err)
		}
		if c.platforms[p], err = readCodes(list); err != nil {
			return err
		}
	}
	return nil
}

func readCodes(list []string) ([]catalog.Region, error) {
	out := make([]catalog.Region, 0, len(list))
	for _, code := range list {
		r, err := catalog.ParseRegion(code)
		if err != nil {
			return nil, snapshot.Damaged(secMeta, "%v", err)
		}
		out = append(out, r)
	}
	return out, nil
}

func (c *cards) readSections(f *snapshot.File) (err error) {
	if c.strings, err = f.Strings(secStrings); err != nil {
		return err
	}
	if c.records, err = records(f, secCards, cardSize); err != nil {
		return err
	}
	if c.offers, err = records(f, secOffers, offerSize); err != nil {
		return err
	}
	if c.texts, err = f.U32s(secTexts); err != nil {
		return err
	}
	if c.links, err = f.U32s(secLinks); err != nil {
		return err
	}
	if c.moved, err = f.U32s(secMoved); err != nil {
		return err
	}
	n := len(c.records) / cardSize
	if c.ids, err = readSlots(f, secIDs, n); err != nil {
		return err
	}
	c.keys, err = readSlots(f, secKeys, n)
	return err
}

func openPrices(blob []byte) (*prices, error) {
	f, err := snapshot.Open(blob, pricesKind, Format)
	if err != nil {
		return nil, err
	}
	var meta pricesMeta
	if err := readMeta(f, &meta); err != nil {
		return nil, err
	}
	p := &prices{bytes: f.Size(), identity: meta.Catalog}
	if p.words, err = f.Strings(secStrings); err != nil {
		return nil, err
	}
	if err := p.readCurrencies(f); err != nil {
		return nil, err
	}
	if err := p.readSections(f); err != nil {
		return nil, err
	}
	return p, p.check()
}

func (p *prices) readCurrencies(f *snapshot.File) error {
	numbers, err := f.U32s(secMoney)
	if err != nil {
		return err
	}
	if n := numbers.Len(); n < 1 || n > 256 || numbers.At(0) != 0 {
		return snapshot.Damaged(secMoney, "%d currencies, want 1 to 256, number 0 empty", n)
	}
	for i := range numbers.Len() {
		if err := below(secMoney, i, numbers.At(i), p.words.Len()); err != nil {
			return err
		}
		p.currencies = append(p.currencies, money.Currency(p.words.At(numbers.At(i))))
	}
	return nil
}

func (p *prices) readSections(f *snapshot.File) (err error) {
	if p.rows, err = records(f, secRows, rowSize); err != nil {
		return err
	}
	if p.points, err = records(f, secPoints, pointSize); err != nil {
		return err
	}
	if p.extras, err = records(f, secExtras, extraSize); err != nil {
		return err
	}
	if p.cardRows, err = f.U32s(secCardRows); err != nil {
		return err
	}
	if p.offerRows, err = f.U32s(secOfferRows); err != nil {
		return err
	}
	if p.ends, err = f.U64s(secEnds); err != nil {
		return err
	}
	p.revs, err = f.U64s(secRevs)
	return err
}

// records reads a section of equally long records.
func records(f *snapshot.File, section string, size int) ([]byte, error) {
	b, err := f.Section(section)
	if err != nil {
		return nil, err
	}
	if len(b)%size != 0 {
		return nil, snapshot.Damaged(section, "%d bytes are not a multiple of %d", len(b), size)
	}
	return b, nil
}

func readSlots(f *snapshot.File, section string, cards int) (slots, error) {
	table, err := f.U64s(section)
	if err != nil {
		return nil, err
	}
	return slots(table), slots(table).check(section, cards)
}

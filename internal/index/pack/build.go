package pack

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/search"
)

// Input is what a snapshot is built from. Build does not change it.
type Input struct {
	Entries []catalog.Entry
	Cards   []catalog.Card                     // in any order; Rows are numbers in Entries. Unserved ones only count as editions
	Active  []catalog.Region                   // in configured order
	Prose   map[catalog.ProseID]*catalog.Prose // all that the cards name
	// Moved has, for a vanished card id, the ids that have its listings now.
	// Build leaves out ids that are not served.
	Moved map[string][]string
	// Regions has, by platform, all regions with listings, sorted.
	Regions map[catalog.Platform][]catalog.Region
	// Unserved has the regions of cards without a listing in an active region, sorted.
	Unserved []catalog.Region
	// Seq is the number of the publication, and Former what is known about the cards of the
	// one before.
	Seq    int64
	Former Former
}

// Blobs are the two files of a snapshot.
type Blobs struct{ Catalog, Prices []byte }

// Build packs the served cards, those with a listing in an active region, and
// returns a Repricer, which packs their prices again. The same input makes the
// same bytes in any order of its cards. An input that contradicts itself (rows
// out of order, a missing prose, more regions or currencies than a byte can
// number) is an error that names the card.
func Build(in Input) (blobs Blobs, repricer *Repricer, err error) {
	defer func() {
		if err != nil {
			blobs, repricer, err = Blobs{}, nil, fmt.Errorf("build index: %w", err)
		}
	}()
	p, err := newPlan(in)
	if err != nil {
		return blobs, nil, err
	}
	// The two blobs share only the plan and are packed at the same time.
	var packing sync.WaitGroup
	c := &catalogPacker{
		plan: p, texts: newTexts(), lists: newLists(), links: newLists(),
		search: search.NewBuilder(), patterns: map[catalog.URLPattern]bool{},
		local: local{languages: map[catalog.Language]uint32{}},
	}
	packing.Go(c.pack)
	r := &pricePacker{plan: p, priceTable: newPriceTable(p.regions), patterns: map[catalog.URLPattern]uint32{}, editions: map[string]string{}}
	err = r.pack()
	packing.Wait()
	if err != nil {
		return blobs, nil, err
	}
	if blobs.Catalog, err = c.blob(); err != nil {
		return blobs, nil, err
	}
	changes, err := changesOf(in, c, r, blobs.Catalog)
	if err != nil {
		return blobs, nil, err
	}
	repricer = newRepricer(c, r)
	blobs.Prices, err = r.blob(c.identity, r.cardRows, r.offerRows, repricer.revs(), changes)
	return blobs, repricer, err
}

// plan is what both packers share: the served cards in their order, and the
// numbers of regions.
type plan struct {
	in       Input
	cards    []*catalog.Card // served, in final order
	unserved []*catalog.Card
	regions  []catalog.Region
	numbers  map[catalog.Region]uint8
	families *families
}

func newPlan(in Input) (*plan, error) {
	p := &plan{in: in}
	for platform, regions := range in.Regions {
		if err := checkCodes(regions); err != nil {
			return nil, fmt.Errorf("regions of %q: %w", platform, err)
		}
	}
	for i := range in.Cards {
		c := &in.Cards[i]
		if err := p.checkCard(c); err != nil {
			return nil, fmt.Errorf("card %q: %w", c.ID, err)
		}
		if slices.ContainsFunc(c.Rows, func(n uint32) bool { return slices.Contains(in.Active, in.Entries[n].Region) }) {
			p.cards = append(p.cards, c)
		} else {
			p.unserved = append(p.unserved, c)
		}
	}
	// The order of equally good search results and of card lists. It is total:
	// ids are unique within a platform.
	slices.SortFunc(p.cards, func(a, b *catalog.Card) int {
		return cmp.Or(
			cmp.Compare(a.Type, b.Type),
			cmp.Compare(b.Popularity, a.Popularity),
			strings.Compare(a.Title, b.Title),
			strings.Compare(a.ID, b.ID),
			cmp.Compare(a.Platform, b.Platform),
		)
	})
	if err := p.numberRegions(); err != nil {
		return nil, err
	}
	p.families = groupFamilies(p)
	return p, nil
}

// checkCard refuses a card whose rows could not be read back.
func (p *plan) checkCard(c *catalog.Card) error {
	if c.Platform.String() == "" || c.Type.String() == "" || c.Class == 0 || c.ID == "" {
		return fmt.Errorf("platform %d, type %d, class %d", c.Platform, c.Type, c.Class)
	}
	if err := p.checkRows(c.Rows); err != nil {
		return err
	}
	for id := range c.ProseIDs() {
		if id != 0 && p.in.Prose[id] == nil {
			return fmt.Errorf("prose %d is missing", id)
		}
	}
	for _, o := range c.Offers {
		if err := p.checkRows(o.Rows); err != nil {
			return fmt.Errorf("offer %q: %w", o.ID, err)
		}
	}
	return nil
}

func (p *plan) checkRows(rows []uint32) error {
	last := catalog.Region{}
	for _, n := range rows {
		if int(n) >= len(p.in.Entries) {
			return fmt.Errorf("row %d of %d entries", n, len(p.in.Entries))
		}
		e := &p.in.Entries[n]
		if e.Region.Compare(last) <= 0 {
			return fmt.Errorf("region %q comes after %q", e.Region, last)
		}
		if e.Facts == nil {
			return fmt.Errorf("product %q in region %q has no facts", e.Product, e.Region)
		}
		last = e.Region
	}
	return nil
}

// numberRegions numbers the regions of all rows, and the active ones,
// alphabetically.
func (p *plan) numberRegions() error {
	seen := map[catalog.Region]bool{}
	for _, r := range p.in.Active {
		seen[r] = true
	}
	for _, c := range p.cards {
		for rows := range rowLists(c) {
			for _, n := range rows {
				seen[p.in.Entries[n].Region] = true
			}
		}
	}
	p.regions = slices.SortedFunc(maps.Keys(seen), catalog.Region.Compare)
	if len(p.regions) > layout.MaxRegions {
		return fmt.Errorf("%d regions, at most %d", len(p.regions), layout.MaxRegions)
	}
	if err := checkCodes(p.regions); err != nil {
		return err
	}
	p.numbers = make(map[catalog.Region]uint8, len(p.regions))
	for i, r := range p.regions {
		p.numbers[r] = uint8(i)
	}
	return nil
}

// checkCodes refuses regions that index.Open would refuse.
func checkCodes(regions []catalog.Region) error {
	for _, r := range regions {
		if known, err := catalog.ParseRegion(r.String()); err != nil || known != r {
			return fmt.Errorf("region %q is not a country code", r)
		}
	}
	return nil
}

// rowLists yields the rows of a card's offers, then those of the card itself.
func rowLists(c *catalog.Card) iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		for i := range c.Offers {
			if !yield(c.Offers[i].Rows) {
				return
			}
		}
		yield(c.Rows)
	}
}

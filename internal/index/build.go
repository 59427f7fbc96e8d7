package index

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gamedex/internal/catalog"
)

// Input is what a builder gives to Build. Nothing of it is changed.
type Input struct {
	Entries []catalog.Entry
	Cards   []catalog.Card                     // in any order; Rows are numbers in Entries
	Active  []catalog.Region                   // in configured order
	Prose   map[catalog.ProseID]*catalog.Prose // all that the cards name
	// Moved says of a vanished card id in which ids its listings live now.
	// What is not served is left out.
	Moved map[string][]string
	// Regions lists, by platform, all regions with listings, sorted.
	Regions map[catalog.Platform][]catalog.Region
}

// Blobs are the two files of a snapshot.
type Blobs struct{ Catalog, Prices []byte }

// Build packs the served cards: those with a listing in an active region. The
// same input gives the same bytes, whatever the order of its cards. An input
// that contradicts itself (rows out of order, a prose that is missing, more
// regions or currencies than a byte counts) is an error that names the card.
func Build(in Input) (Blobs, error) {
	blobs, _, err := Pack(in)
	return blobs, err
}

// Pack is Build for who wants to Reprice what it made.
func Pack(in Input) (Blobs, *Packing, error) {
	blobs, packing, err := pack(in)
	if err != nil {
		return Blobs{}, nil, fmt.Errorf("build index: %w", err)
	}
	return blobs, packing, nil
}

func pack(in Input) (blobs Blobs, packing *Packing, err error) {
	p, err := newPlan(in)
	if err != nil {
		return blobs, nil, err
	}
	// The two blobs share only the plan and are packed at the same time.
	var atWork sync.WaitGroup
	c := newCatalogPacker(p)
	atWork.Go(c.pack)
	r := newPricePacker(p)
	err = r.pack()
	atWork.Wait()
	if err != nil {
		return blobs, nil, err
	}
	if blobs.Catalog, err = c.blob(); err != nil {
		return blobs, nil, err
	}
	packing = newPacking(c, r)
	blobs.Prices, err = r.blob(c.identity, r.cardRows, r.offerRows, packing.revs())
	return blobs, packing, err
}

// plan is what both packers agree on: which cards are served, in which order,
// and how regions are numbered.
type plan struct {
	in       Input
	cards    []*catalog.Card // served, in final order
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
		if err := p.check(c); err != nil {
			return nil, err
		}
		if p.served(c) {
			p.cards = append(p.cards, c)
		}
	}
	slices.SortFunc(p.cards, finalOrder)
	if err := p.numberRegions(); err != nil {
		return nil, err
	}
	p.families = groupFamilies(p)
	return p, nil
}

// check refuses a card whose rows could not be read back.
func (p *plan) check(c *catalog.Card) error {
	if c.Platform.String() == "" || c.Type.String() == "" || c.Class == 0 || c.ID == "" {
		return fmt.Errorf("card %q: platform %d, type %d, class %d", c.ID, c.Platform, c.Type, c.Class)
	}
	if err := p.checkRows(c.Rows); err != nil {
		return fmt.Errorf("card %q: %w", c.ID, err)
	}
	for _, id := range c.Prose.IDs() {
		if id != 0 && p.in.Prose[id] == nil {
			return fmt.Errorf("card %q: prose %d is missing", c.ID, id)
		}
	}
	for _, o := range c.Offers {
		if err := p.checkRows(o.Rows); err != nil {
			return fmt.Errorf("card %q: offer %q: %w", c.ID, o.ID, err)
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
			return fmt.Errorf("region %q stands after %q", e.Region, last)
		}
		if e.Facts == nil {
			return fmt.Errorf("product %q in region %q has no facts", e.Product, e.Region)
		}
		last = e.Region
	}
	return nil
}

func (p *plan) served(c *catalog.Card) bool {
	return slices.ContainsFunc(c.Rows, func(n uint32) bool {
		return slices.Contains(p.in.Active, p.in.Entries[n].Region)
	})
}

// finalOrder is the order of equally good search results and of card lists. It
// is total: ids are unique within a platform.
func finalOrder(a, b *catalog.Card) int {
	return cmp.Or(
		cmp.Compare(a.Type, b.Type),
		cmp.Compare(b.Popularity, a.Popularity),
		strings.Compare(a.Title, b.Title),
		strings.Compare(a.ID, b.ID),
		cmp.Compare(a.Platform, b.Platform),
	)
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
	if len(p.regions) > 256 {
		return fmt.Errorf("%d regions, at most 256", len(p.regions))
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

// checkCodes refuses regions that Open would refuse.
func checkCodes(regions []catalog.Region) error {
	for _, r := range regions {
		if known, err := catalog.ParseRegion(r.String()); err != nil || known != r {
			return fmt.Errorf("region %q is not a country code", r)
		}
	}
	return nil
}

// rowLists yields the rows of a card's offers, then those of the card itself.
func rowLists(c *catalog.Card) func(yield func([]uint32) bool) {
	return func(yield func([]uint32) bool) {
		for i := range c.Offers {
			if !yield(c.Offers[i].Rows) {
				return
			}
		}
		yield(c.Rows)
	}
}

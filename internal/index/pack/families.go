package pack

import (
	"iter"

	"gamedex/internal/catalog"
)

// families has the served cards that belong together. Card numbers are in final
// order, so lists of them need no sorting.
type families struct {
	of     []uint32 // card → its family
	games  [][]uint32
	addOns [][]uint32
	counts []uint16 // family × region → editions listed there
	width  int      // number of regions
}

// groupFamilies groups console cards and counts the editions of each family in
// each region. A PC card is a family; its editions are its offers. An edition
// counts wherever it is listed, even if no active region lists it.
func groupFamilies(p *plan) *families {
	f := &families{of: make([]uint32, len(p.cards)), width: len(p.regions)}
	known := map[string]uint32{}
	for i, c := range p.cards {
		n, ok := known[c.Family]
		if !ok || c.Platform != catalog.ConsoleStore || c.Family == "" {
			n = uint32(len(f.games))
			f.games, f.addOns = append(f.games, nil), append(f.addOns, nil)
			if c.Platform == catalog.ConsoleStore {
				known[c.Family] = n
			}
		}
		f.of[i] = n
		switch {
		case c.Platform != catalog.ConsoleStore:
		case c.Class == catalog.GameClass:
			f.games[n] = append(f.games[n], uint32(i))
		case c.Class == catalog.AddOnClass:
			f.addOns[n] = append(f.addOns[n], uint32(i))
		}
	}
	f.counts = make([]uint16, len(f.games)*f.width)
	for i, c := range p.cards {
		if c.Class == catalog.GameClass {
			f.countEditions(p, f.of[i], c)
		}
	}
	for _, c := range p.unserved {
		if n, served := known[c.Family]; served && c.Platform == catalog.ConsoleStore && c.Family != "" && c.Class == catalog.GameClass {
			f.countEditions(p, n, c)
		}
	}
	return f
}

// countEditions counts the editions on a card: itself, or the offers of a PC card.
func (f *families) countEditions(p *plan, family uint32, c *catalog.Card) {
	if c.Platform == catalog.ConsoleStore {
		f.countRows(p, family, c.Rows)
		return
	}
	for i := range c.Offers {
		if c.Offers[i].IsEdition() {
			f.countRows(p, family, c.Offers[i].Rows)
		}
	}
}

func (f *families) countRows(p *plan, family uint32, rows []uint32) {
	for _, n := range rows {
		no, ok := p.numbers[p.in.Entries[n].Region]
		if !ok { // no served card has a row there
			continue
		}
		if cell := &f.counts[int(family)*f.width+int(no)]; *cell < 1<<16-1 {
			*cell++
		}
	}
}

// variants returns the number of editions that the card's game has in a region.
// A card that is not a game counts itself.
func (f *families) variants(card int, c *catalog.Card, region uint8) uint16 {
	if c.Class != catalog.GameClass {
		return 1
	}
	return f.counts[int(f.of[card])*f.width+int(region)]
}

// bundledCards returns the cards of the products that bundles name. If several
// cards have a product, it is the first one.
func bundledCards(p *plan) map[memberKey]uint32 {
	wanted := map[memberKey]bool{}
	for _, c := range p.cards {
		for _, product := range c.Members {
			wanted[memberKey{c.Platform, product}] = true
		}
	}
	found := make(map[memberKey]uint32, len(wanted))
	if len(wanted) == 0 {
		return found
	}
	for i, c := range p.cards {
		for product := range products(p, c) {
			key := memberKey{c.Platform, product}
			if _, taken := found[key]; wanted[key] && !taken {
				found[key] = uint32(i)
			}
		}
	}
	return found
}

type memberKey struct {
	platform catalog.Platform
	product  string
}

// products yields the product ids of a card, each once, in the order of its
// rows.
func products(p *plan, c *catalog.Card) iter.Seq[string] {
	return func(yield func(string) bool) {
		last, seen := "", map[string]bool{}
		for rows := range rowLists(c) {
			for _, n := range rows {
				product := p.in.Entries[n].Product
				if product == last || seen[product] { // most rows share that of the row before
					continue
				}
				last, seen[product] = product, true
				if !yield(product) {
					return
				}
			}
		}
	}
}

package merge

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"gamedex/internal/catalog"
)

// Merge decides which listings are one card. Its answer depends on the entries
// alone, not on their order; each (platform, region, product) stands in them
// once. The groups come sorted by platform and id. Groups that are in no active
// region are among them.
//
// Lines in time order never pass an id from one product to another while both
// are on sale and stay what they are: family, class, names, edition, platforms.
// More cannot be promised without a memory of former answers. A product that
// returns after a withdrawal takes its old place again. And where the oldest
// product of a card leaves the store permanently, the id may go to another part of
// its key if the rest of the card owes its family to title ids, or would be
// parted from it by a conflict that comes later.
func Merge(entries []catalog.Entry, overrides Overrides) []Group {
	return newMerger(entries, overrides, hashGameID).merge()
}

// merger holds one run of Merge: entries are gathered by product, products by
// family; each family is divided into cards separately.
type merger struct {
	entries   []catalog.Entry
	overrides Overrides
	hash      gameIDHash

	order    []uint32 // entry numbers, by product
	products []product
	members  []uint32 // product numbers, by family
	families []family
	cards    []card
}

func newMerger(entries []catalog.Entry, overrides Overrides, hash gameIDHash) *merger {
	return &merger{entries: entries, overrides: overrides, hash: hash}
}

func (m *merger) merge() []Group {
	m.gatherProducts()
	parallel(len(m.products), func(from, to int) {
		el := elector{m: m}
		for i := from; i < to; i++ {
			el.summarize(&m.products[i])
		}
	})
	m.inferFamilies()
	m.gatherFamilies()
	var mu sync.Mutex
	parallel(len(m.families), func(from, to int) {
		d := divider{m: m}
		for i := from; i < to; i++ {
			d.divide(&m.families[i])
		}
		mu.Lock()
		defer mu.Unlock()
		m.cards = append(m.cards, d.cards...)
	})
	slices.SortFunc(m.cards, func(a, b card) int {
		return cmp.Or(cmp.Compare(a.age.start, b.age.start), strings.Compare(a.tuple, b.tuple))
	})
	m.nameCards()
	groups := make([]Group, len(m.cards))
	parallel(len(groups), func(from, to int) {
		for i := from; i < to; i++ {
			groups[i] = m.group(&m.cards[i])
		}
	})
	return groups
}

// gatherProducts numbers the products and orders the entries by them. On the
// PC store a product that regions list under several slugs is one for each.
func (m *merger) gatherProducts() {
	owner := make([]uint32, len(m.entries))
	var numbers numbering
	for i := range m.entries {
		e := &m.entries[i]
		if i > 0 { // most entries follow another of their product
			if o := &m.entries[i-1]; e.Platform == o.Platform && e.Product == o.Product && cardSlug(e) == cardSlug(o) {
				owner[i] = owner[i-1]
				continue
			}
		}
		number, known := numbers.of(e.Platform, e.Product, cardSlug(e))
		if !known {
			m.products = append(m.products, product{id: e.Product, platform: e.Platform, slug: cardSlug(e)})
		}
		owner[i] = number
	}
	ends, order := sortByOwner(owner, len(m.products))
	m.order = order
	for i := range m.products {
		m.products[i].first, m.products[i].last = ends[i], ends[i+1]
	}
}

// inferFamilies sets the family of products whose listings have none: the
// only family that holds one of their title ids, else the product itself.
func (m *merger) inferFamilies() {
	holders := m.titleHolders()
	for i := range m.products {
		p := &m.products[i]
		if p.family != "" {
			continue
		}
		family := ""
		if p.familyBy != familyByOperator {
			m.titleIDs(p, func(k titleKey) {
				switch holder := holders[k]; {
				case holder == "" || holder == family:
				case family == "":
					family = holder
				default:
					family = ambiguous
				}
			})
		}
		p.family, p.familyBy = family, familyByTitleID
		if family == "" || family == ambiguous {
			p.family, p.familyBy = p.id, familyOwn
		}
	}
}

// titleKey is a title id on a platform.
type titleKey struct {
	platform catalog.Platform
	title    string
}

// ambiguous stands for a title id that several families hold.
const ambiguous = "\x00"

// titleHolders maps the title ids of products without family to the family
// that holds them.
func (m *merger) titleHolders() map[titleKey]string {
	holders := map[titleKey]string{}
	for i := range m.products {
		if p := &m.products[i]; p.family == "" {
			m.titleIDs(p, func(k titleKey) { holders[k] = "" })
		}
	}
	if len(holders) == 0 {
		return holders
	}
	for i := range m.products {
		p := &m.products[i]
		if p.family == "" || p.live == 0 {
			continue
		}
		m.titleIDs(p, func(k titleKey) {
			switch holder, wanted := holders[k]; {
			case !wanted || holder == p.family:
			case holder == "":
				holders[k] = p.family
			default:
				holders[k] = ambiguous
			}
		})
	}
	return holders
}

// titleIDs calls yield with every title id of the listings that describe p.
func (m *merger) titleIDs(p *product, yield func(titleKey)) {
	m.voices(p, func(_ *catalog.Entry, f *catalog.Facts) {
		for _, t := range f.TitleIDs {
			yield(titleKey{p.platform, strings.TrimSuffix(t, "_00")})
		}
	})
}

// gatherFamilies numbers the families and orders the products by them. On the
// PC store the slug takes the family's place.
func (m *merger) gatherFamilies() {
	owner := make([]uint32, len(m.products))
	var numbers numbering
	for i := range m.products {
		p := &m.products[i]
		id := p.family
		if p.platform == catalog.PCStore {
			id = cmp.Or(p.slug, strings.ToLower(p.id))
		}
		number, known := numbers.of(p.platform, id, "")
		if !known {
			m.families = append(m.families, family{id: id, platform: p.platform})
		}
		owner[i] = number
	}
	ends, members := sortByOwner(owner, len(m.families))
	m.members = members
	for i := range m.families {
		m.families[i].members = members[ends[i]:ends[i+1]]
	}
}

// numbering numbers ids on platforms, those of products with their slugs, from
// 0 in the order of their coming.
type numbering struct {
	numbers [256]map[[2]string]uint32 // by platform, whatever its number
	next    uint32
}

func (n *numbering) of(p catalog.Platform, id, slug string) (number uint32, known bool) {
	key := [...]string{id, slug}
	if number, known = n.numbers[p][key]; known {
		return number, true
	}
	if n.numbers[p] == nil {
		n.numbers[p] = map[[2]string]uint32{}
	}
	number = n.next
	n.numbers[p][key] = number
	n.next++
	return number, false
}

// sortByOwner orders 0..len(owner)-1 by owner: those of owner k are
// order[ends[k]:ends[k+1]], in rising order.
func sortByOwner(owner []uint32, owners int) (ends, order []uint32) {
	ends = make([]uint32, owners+1)
	for _, k := range owner {
		ends[k+1]++
	}
	for k := range owners {
		ends[k+1] += ends[k]
	}
	next := slices.Clone(ends[:owners])
	order = make([]uint32, len(owner))
	for i, k := range owner {
		order[next[k]] = uint32(i)
		next[k]++
	}
	return ends, order
}

// parallel splits 0..n-1 among the processors. What is computed must not
// depend on the split.
func parallel(n int, work func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { work(n*w/workers, n*(w+1)/workers) })
	}
	wg.Wait()
}

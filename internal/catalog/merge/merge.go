package merge

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
)

// Merge decides which listings are one card. It returns the groups sorted by
// platform and id, including those that are in no active region. The keys of
// entries must be distinct; their order does not matter.
//
// Ids are stable: while two products are on sale and keep their family, class,
// names, edition and platforms (without names and editions, their titles), new lines in
// time order do not move an id from one to the other. Merge remembers no earlier results, so
// it cannot promise more. A product that returns after a withdrawal takes its old place again. When
// the oldest product of a card leaves the store permanently, the id may move to
// another group of the same key, if the rest of the card has its family from
// title ids, if a later conflict separates them, or if a later product has something
// in common with two groups.
func Merge(entries []catalog.Entry, overrides override.Set) []Group {
	return newMerger(entries, overrides, hashGameID).merge()
}

// CardIDs merges as MergeServed does. It returns the id of the card of each entry, withdrawn
// ones included; "" if no card has the entry.
func CardIDs(entries []catalog.Entry, overrides override.Set, before ServedBefore) []string {
	m := newMerger(entries, overrides, hashGameID)
	m.before = before
	m.merge()
	ids := make([]string, len(entries))
	for i := range m.cards {
		for _, n := range m.cards[i].products {
			p := &m.products[n]
			for _, e := range m.order[p.first:p.last] {
				ids[e] = m.cards[i].id
			}
		}
	}
	return ids
}

// merger is one run of Merge. It gathers entries by product and products by family,
// and then divides each family into cards.
type merger struct {
	entries   []catalog.Entry
	overrides override.Set
	hash      gameIDHash
	before    ServedBefore // nil: nothing was served before

	onSale  map[string]uint32 // listings on sale by product, for refuses
	refused []string          // ids that a card could not take

	order    []uint32 // entry numbers, by product
	products []product
	members  []uint32 // product numbers, by family
	families []family
	cards    []card
}

func newMerger(entries []catalog.Entry, overrides override.Set, hash gameIDHash) *merger {
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
	m.assignIDs()
	groups := make([]Group, len(m.cards))
	parallel(len(groups), func(from, to int) {
		for i := from; i < to; i++ {
			groups[i] = m.group(&m.cards[i])
		}
	})
	return groups
}

// gatherProducts numbers the products and orders the entries by them. On the PC
// store a product that has several slugs counts as one product for each slug.
func (m *merger) gatherProducts() {
	owner := make([]uint32, len(m.entries))
	numbers := numbering{}
	for i := range m.entries {
		e := &m.entries[i]
		if i > 0 { // most entries follow an entry of the same product
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

// ambiguous is the holder of a title id that several families have.
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
	m.eachVoter(p, func(_ *catalog.Entry, f *catalog.Facts) {
		for _, t := range f.TitleIDs {
			yield(titleKey{p.platform, strings.TrimSuffix(t, "_00")})
		}
	})
}

// gatherFamilies numbers the families and orders the products by them. On the
// PC store the slug takes the family's place.
func (m *merger) gatherFamilies() {
	owner := make([]uint32, len(m.products))
	numbers := numbering{}
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

// numbering numbers the ids of products, with their slugs, or of families, from 0 in
// the order of their first use.
type numbering map[numbered]uint32

type numbered struct {
	platform catalog.Platform
	id, slug string
}

func (n numbering) of(p catalog.Platform, id, slug string) (number uint32, known bool) {
	key := numbered{p, id, slug}
	if number, known = n[key]; !known {
		number = uint32(len(n))
		n[key] = number
	}
	return number, known
}

// sortByOwner orders 0..len(owner)-1 by owner: the numbers of owner k are
// order[ends[k]:ends[k+1]], in ascending order.
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

// parallel splits 0..n-1 among the processors. The result of work must not depend
// on the split.
func parallel(n int, work func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { work(n*w/workers, n*(w+1)/workers) })
	}
	wg.Wait()
}

// Most changes of a catalog are prices, and a price rarely changes a card. A builder
// may keep groups and cards if it knows that Merge and Compose would return the
// same for the new entries. They read
//
//	Platform, Product, Region, Withdrawn, Facts, FirstSeen   Merge
//	Locale, URL, Prose, Popularity                           Compose
//	ObservedAt      Merge, to choose between the families that the listings of
//	                one product name (FamilyOf), and of withdrawn listings
//	Price.Current   Compose, to choose between the offers of a slug (Lead)
//
// and nothing else: neither PricedAt nor the rest of a price.

// OnlyRepriced reports whether the entry now may take the place of was and leave
// all groups and cards as they are, provided that FamilyOf still returns the same
// for its product and, on the PC store, Lead for its slug. Facts are compared
// by address: equal ones are expected to be shared.
func OnlyRepriced(was, now *catalog.Entry) bool {
	// A field that is added to Entry counts as read until it is listed here.
	as := *now
	as.Price, as.PricedAt, as.ObservedAt = was.Price, was.PricedAt, was.ObservedAt
	return as == *was && !was.Withdrawn
}

// FamilyOf returns the family that Merge takes from the listings of one product,
// before overrides; "" if no listing names one. On the PC store, listings under
// different slugs are different products.
func FamilyOf(listings []*catalog.Entry) string {
	live := slices.ContainsFunc(listings, func(e *catalog.Entry) bool { return !e.Withdrawn })
	var latest latestFamily
	for _, e := range listings {
		if e.Facts != nil && (!live || !e.Withdrawn) {
			latest.observe(e.Facts.Family, e.ObservedAt)
		}
	}
	return latest.id
}

// Lead returns the id of the offer that leads a PC card, and the entries with the
// card's prices, sorted by region: Card.Lead and Card.Rows. It reads only ID, Type,
// Demo and Rows of the offers. There must be at least one offer.
func Lead(offers []catalog.Offer, entries []catalog.Entry, active []catalog.Region) (id string, rows []uint32) {
	c := composer{entries: entries, active: active}
	lead := c.lead(offers)
	return lead.ID, c.pcRows(offers, lead)
}

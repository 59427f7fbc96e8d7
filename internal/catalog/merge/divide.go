package merge

import (
	"cmp"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/titles"
)

// card is a group before all ids are assigned.
type card struct {
	family    *family
	class     catalog.Class
	key       string
	keyBy     keyRule
	products  []uint32 // on sale somewhere, earliest first
	divisions []Division
	age       age
	tuple     string // the id is its hash
	inTuple   int    // how many of the divisions the tuple contains
	id        string
}

// age orders cards and parts of cards: the older keeps the id.
type age struct {
	// inferred: the families of all its products on sale are inferred. Such a part
	// comes after the others, so that it takes no id from them when the inference
	// changes.
	inferred bool
	start    catalog.Millis
	product  string // decides where start is equal: the smallest is the oldest
	leader   uint32 // the product that it started with, perhaps withdrawn since
}

func (a age) compare(b age) int {
	inferred := func(a age) int {
		if a.inferred {
			return 1
		}
		return 0
	}
	return cmp.Or(inferred(a)-inferred(b), cmp.Compare(a.start, b.start), strings.Compare(a.product, b.product))
}

// divider makes the cards of families, one family after the other.
type divider struct {
	m     *merger
	cards []card
	// seen has an element for each region: the low half is the first product found
	// there, the high half the number of the check that found it.
	seen  [1 << 10]uint64
	check uint64
}

// node is a set of products that share a key, or a part of such a set. It includes
// products that are withdrawn everywhere: they conflict with no other product, but
// they count for the age of their part.
type node struct {
	products []uint32   // earliest first
	path     []Division // the divisions that led here
	tuple    string     // the id is its hash; the oldest part keeps it
	inTuple  int        // how many divisions of the path the tuple contains
}

// divide makes the cards of a family: one for each key, or more where products
// conflict.
func (d *divider) divide(f *family) {
	products := d.m.products
	if f.platform == catalog.PCStore {
		slices.SortFunc(f.members, func(a, b uint32) int {
			return strings.Compare(products[a].id, products[b].id)
		})
		if d.countLive(f.members) > 0 { // a slug is one card
			d.emit(f, node{products: f.members})
			slug := &d.cards[len(d.cards)-1]
			slug.class, slug.key, slug.keyBy, slug.id = catalog.GameClass, f.id, keySlug, f.id
		}
		return
	}
	f.setKeys(products)
	slices.SortFunc(f.members, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(products[a].start, products[b].start), strings.Compare(products[a].id, products[b].id))
	})
	d.joinAddOns(f, catalog.AddOnClass)
	d.joinAddOns(f, catalog.SubscriptionClass)
	compareKeys := func(a, b *product) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.keyBy.space(), b.keyBy.space()), strings.Compare(a.key, b.key))
	}
	slices.SortStableFunc(f.members, func(a, b uint32) int { return compareKeys(&products[a], &products[b]) })
	for rest := f.members; len(rest) > 0; {
		n := 1
		for n < len(rest) && compareKeys(&products[rest[0]], &products[rest[n]]) == 0 {
			n++
		}
		if same := rest[:n]; d.countLive(same) > 0 {
			d.split(f, node{products: same, tuple: d.m.tuple(f, d.age(same), nil)})
		}
		rest = rest[n:]
	}
}

// split separates the products of a node that have nothing in common, and else divides
// it by the first criterion that separates two of its products on sale in one region.
// The oldest part keeps the node's id.
func (d *divider) split(f *family, n node) {
	parts := d.unrelated(n)
	if len(parts) == 1 {
		n.products = parts[0].products // without those withdrawn that have nothing to do with them
	}
	for c := ByPlatforms; c <= ByProduct && len(parts) < 2; c++ {
		if d.conflicts(f, n.products, c) {
			parts = d.partition(f, n, c)
		}
	}
	if len(parts) < 2 {
		d.emit(f, n)
		return
	}
	oldest := slices.MinFunc(parts, func(a, b node) int { return d.age(a.products).compare(d.age(b.products)) })
	for _, part := range parts {
		part.tuple, part.inTuple = n.tuple, n.inTuple
		if part.products[0] != oldest.products[0] {
			part.tuple, part.inTuple = d.m.tuple(f, d.age(part.products), part.path), len(part.path)
		}
		d.split(f, part)
	}
}

// conflicts reports whether two products with different values are on sale in one
// region.
func (d *divider) conflicts(f *family, products []uint32, by Criterion) bool {
	if d.countLive(products) < 2 {
		return false
	}
	d.check++
	m := d.m
	for n, number := range products {
		p := &m.products[number]
		if p.live == 0 {
			continue
		}
		for _, i := range m.order[p.first:p.last] {
			e := &m.entries[i]
			if e.Withdrawn {
				continue
			}
			mark := &d.seen[uint16(e.Region[0]&31)<<5|uint16(e.Region[1]&31)]
			if *mark>>32 != d.check {
				*mark = d.check<<32 | uint64(n)
				continue
			}
			first := &m.products[products[uint32(*mark)]]
			if first != p && value(f, first, by) != value(f, p, by) {
				return true
			}
		}
	}
	return false
}

// value returns what a criterion compares of a product.
func value(f *family, p *product, by Criterion) string {
	switch by {
	case ByPlatforms:
		if p.withPS5 {
			return "with PS5"
		}
		return "PS4 only"
	case ByName:
		return f.comparedName(p)
	case ByLabel:
		return cmp.Or(label(p.id), p.id)
	}
	return p.id
}

// partition divides a node by a criterion. It returns the parts that have a product
// on sale, sorted by value.
func (d *divider) partition(f *family, n node, by Criterion) []node {
	byValue := map[string]*node{}
	var values []string
	for _, number := range n.products {
		v := value(f, &d.m.products[number], by)
		part, ok := byValue[v]
		if !ok {
			part = &node{path: append(slices.Clip(n.path), Division{By: by, Value: v})}
			byValue[v] = part
			values = append(values, v)
		}
		part.products = append(part.products, number)
	}
	slices.Sort(values)
	var parts []node
	for _, v := range values {
		if d.countLive(byValue[v].products) > 0 {
			parts = append(parts, *byValue[v])
		}
	}
	return parts
}

func (d *divider) countLive(products []uint32) int {
	n := 0
	for _, number := range products {
		if d.m.products[number].live > 0 {
			n++
		}
	}
	return n
}

// age returns the age of a set of products. It starts with the first of a line of
// products that leads, without a gap, to one on sale: if a product was withdrawn
// after its successor had come, the card continues.
func (d *divider) age(products []uint32) age {
	inferred := !slices.ContainsFunc(products, func(n uint32) bool {
		p := &d.m.products[n]
		return p.live > 0 && !p.inferred()
	})
	leader, end := -1, catalog.Millis(0)
	for _, n := range products {
		p := &d.m.products[n]
		if p.inferred() != inferred {
			continue
		}
		if leader < 0 || p.start > end {
			leader, end = int(n), p.end
		}
		end = max(end, p.end)
		if p.live > 0 {
			break
		}
	}
	first := &d.m.products[leader]
	return age{inferred: inferred, start: first.start, product: first.id, leader: uint32(leader)}
}

func (d *divider) emit(f *family, n node) {
	live := make([]uint32, 0, len(n.products))
	for _, number := range n.products {
		if d.m.products[number].live > 0 {
			live = append(live, number)
		}
	}
	p := &d.m.products[live[0]]
	d.cards = append(d.cards, card{
		family: f, class: p.class, key: p.key, keyBy: p.keyBy,
		products: live, divisions: n.path,
		age: d.age(n.products), tuple: n.tuple, inTuple: n.inTuple,
	})
}

// joinAddOns gives add-ons without an invariant name that have something in common one key:
// that of the oldest.
func (d *divider) joinAddOns(f *family, class catalog.Class) {
	products := d.m.products
	var members []uint32
	for _, n := range f.members {
		if p := &products[n]; p.class == class && (p.keyBy == keyLabel || p.keyBy == keyProduct) {
			members = append(members, n)
		}
	}
	for _, part := range d.related(members) {
		if d.countLive(part) > 0 {
			leader := &products[d.age(part).leader]
			for _, n := range part {
				products[n].key, products[n].keyBy = leader.key, leader.keyBy
			}
		}
	}
}

// trait is what two products of one key can have in common.
type trait struct {
	by   Criterion // ByName, ByLabel, ByProduct or byTitle
	text string
}

// byTitle is not a criterion of a division: titles only join products.
const byTitle Criterion = 0

// standardTrait is the trait of all products that name the standard edition.
var standardTrait = trait{ByName, "standard edition"}

// traits returns the traits of a product, the one that says most first, but titles last: a
// part gets its id from the first one. A product without name and edition has the empty key
// only because its edition is unknown.
func (d *divider) traits(p *product) []trait {
	list := make([]trait, 0, 3)
	if p.pinned || p.standard || p.keyBy == keyRemainder {
		list = append(list, standardTrait)
	}
	if p.name != "" {
		list = append(list, trait{ByName, p.name})
	}
	if l := label(p.id); l != "" {
		list = append(list, trait{ByLabel, l})
	} else {
		list = append(list, trait{ByProduct, p.id})
	}
	for _, title := range d.m.comparedTitles(p) {
		list = append(list, trait{byTitle, title})
	}
	return list
}

// comparedTitles returns the titles by which a product is compared, folded like its invariant
// name. A product with a name or an edition has none.
func (m *merger) comparedTitles(p *product) (list []string) {
	if !p.unnamed() {
		return nil
	}
	foldTitle := titles.FoldGame
	if p.class == catalog.AddOnClass || p.class == catalog.SubscriptionClass {
		foldTitle = titles.Fold
	}
	last := ""
	m.eachVoter(p, func(_ *catalog.Entry, f *catalog.Facts) {
		if f.Title == last {
			return
		}
		last = f.Title
		if title := foldTitle(f.Title); title != "" && !slices.Contains(list, title) {
			list = append(list, title)
		}
	})
	return list
}

// related divides products, earliest first, into parts that have something in common. Two
// products are in one part if they share a trait, or if a chain of such products leads from
// one to the other. A product that is withdrawn everywhere can be in the chain: what it says
// about a label or a title stays true, and ids stay where they are when it leaves.
func (d *divider) related(members []uint32) (parts [][]uint32) {
	s := newSets(len(members))
	holders := map[trait]int{} // a product with the trait
	for i, number := range members {
		for _, k := range d.traits(&d.m.products[number]) {
			if other, ok := holders[k]; ok {
				s.join(i, other)
			}
			holders[k] = i
		}
	}
	bySet := make([][]uint32, len(members))
	for i, number := range members {
		bySet[s.find(i)] = append(bySet[s.find(i)], number)
	}
	return slices.DeleteFunc(bySet, func(part []uint32) bool { return len(part) == 0 })
}

// unrelated divides a node whose products have the empty key into parts that have
// something in common.
func (d *divider) unrelated(n node) (parts []node) {
	products := d.m.products
	if p := &products[n.products[0]]; p.key != "" || p.keyBy.space() != keyRemainder || d.countLive(n.products) < 2 {
		return nil
	}
	for _, part := range d.related(n.products) {
		if d.countLive(part) > 0 {
			shared := d.traits(&products[d.age(part).leader])[0]
			path := append(slices.Clip(n.path), Division{By: shared.by, Value: shared.text})
			parts = append(parts, node{products: part, path: path})
		}
	}
	return parts
}

// sets are disjoint sets of numbers. Each element leads to the number that represents its
// set.
type sets []int

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func (s sets) find(n int) int {
	for s[n] != n {
		s[n] = s[s[n]]
		n = s[n]
	}
	return n
}

func (s sets) join(a, b int) { s[s.find(a)] = s.find(b) }

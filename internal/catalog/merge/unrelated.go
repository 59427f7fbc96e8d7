package merge

import "slices"

// trait is what two products of one key can have in common.
type trait struct {
	by   Criterion // ByName, ByLabel or ByProduct
	text string
}

// standardTrait is the trait of all products that name the standard edition.
var standardTrait = trait{ByName, "standard edition"}

// traits returns the traits of a product, the one that says most first. A product without
// name and edition has the empty key only because its edition is unknown.
func (f *family) traits(p *product) []trait {
	list := make([]trait, 0, 3)
	if p.pinned || p.standard || p.keyBy == keyRemainder {
		list = append(list, standardTrait)
	}
	if p.name != "" {
		list = append(list, trait{ByName, p.name})
	}
	if l := label(p.id); l != "" {
		return append(list, trait{ByLabel, l})
	}
	return append(list, trait{ByProduct, p.id})
}

// unrelated divides a node whose products have the empty key into parts that have
// something in common. Two products are in one part if they share a trait, or if a chain
// of such products leads from one to the other. A product that is withdrawn everywhere
// can be in the chain: what it says about a label stays true, and ids stay where they are
// when it leaves.
func (d *divider) unrelated(f *family, n node) []node {
	products := d.m.products
	if p := &products[n.products[0]]; p.key != "" || p.keyBy.space() != keyRemainder || d.countLive(n.products) < 2 {
		return nil
	}
	s := newSets(len(n.products))
	holders := map[trait]int{} // a product with the trait
	for i, number := range n.products {
		for _, k := range f.traits(&products[number]) {
			if other, ok := holders[k]; ok {
				s.join(i, other)
			}
			holders[k] = i
		}
	}
	bySet := make([]node, len(n.products))
	for i, number := range n.products {
		part := &bySet[s.find(i)]
		part.products = append(part.products, number)
	}
	var parts []node
	for _, part := range bySet {
		if d.countLive(part.products) > 0 {
			shared := f.traits(&products[d.age(part.products).leader])[0]
			part.path = append(slices.Clip(n.path), Division{By: shared.by, Value: shared.text})
			parts = append(parts, part)
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

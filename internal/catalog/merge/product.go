package merge

import (
	"math"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/titles"
)

// product is what the merge knows of one product id on one platform, drawn
// from its listings in all regions.
type product struct {
	id       string
	platform catalog.Platform
	class    catalog.Class
	typ      catalog.Type
	pinned   bool // an operator gave the edition
	withPS5  bool // false: sold for the PS4 only
	familyBy familyRule
	keyBy    keyRule

	family        string
	familyName    string // as most listings write it
	invariantName string // as written; name is its folded form
	name          string
	edition       string // folded, empty for the standard edition
	editionText   string // of the operator
	slug          string // pcstore
	key           string

	votes      uint32         // how many listings give familyName
	live       uint32         // how many listings are not withdrawn
	start, end catalog.Millis // first seen; withdrawn everywhere since (forever if live)
	first      uint32         // its entries are order[first:last]
	last       uint32
}

// familyRule says where a product's family comes from.
type familyRule uint8

const (
	familyGiven familyRule = iota + 1
	familyByOperator
	familyByTitleID
	familyOwn // the product id itself
)

// inferred products owe their family to others, or have none.
func (p *product) inferred() bool { return p.familyBy == familyByTitleID || p.familyBy == familyOwn }

const forever = catalog.Millis(math.MaxInt64)

// cardSlug returns the slug of the PC card that a listing is an offer of. It is
// empty for a withdrawn listing whose facts are unknown.
func cardSlug(e *catalog.Entry) string {
	if e.Platform != catalog.PCStore || e.Facts == nil {
		return ""
	}
	return e.Facts.Slug
}

// elector draws products from their listings; its ballots are used again.
type elector struct {
	m                         *merger
	names, editions, families ballot
	classes                   [catalog.DemoClass + 1]uint32
}

// summarize draws a product from its listings: those on sale, or all of them
// if none is. A withdrawn product takes no part in any card, but the part in
// which it stood keeps its age.
func (el *elector) summarize(p *product) {
	p.start, p.end = forever, 0
	for _, i := range el.m.order[p.first:p.last] {
		e := &el.m.entries[i]
		p.start = min(p.start, e.FirstSeen)
		p.end = max(p.end, e.ObservedAt)
		if !e.Withdrawn {
			p.live++
		}
	}
	if p.live > 0 {
		p.end = forever
	}
	el.elect(p)
	if o, ok := el.m.overrides.Find(p.platform, p.id); ok {
		if o.Family != nil {
			p.family, p.familyBy = *o.Family, familyByOperator
		}
		if o.Edition != nil {
			p.pinned, p.editionText, p.edition = true, *o.Edition, titles.FoldEdition(*o.Edition)
		}
		if o.Type != nil {
			p.typ, p.class = *o.Type, catalog.ClassOf(*o.Type, false)
		}
	}
	if p.class == catalog.AddOnClass || p.class == catalog.SubscriptionClass {
		p.name = titles.Fold(p.invariantName)
		return
	}
	p.name = titles.FoldGame(p.invariantName)
	p.edition = titles.FoldEdition(p.edition)
}

// voices calls yield with the listings that say what their product is.
func (m *merger) voices(p *product, yield func(*catalog.Entry, *catalog.Facts)) {
	for _, i := range m.order[p.first:p.last] {
		e := &m.entries[i]
		if e.Facts != nil && (p.live == 0 || !e.Withdrawn) {
			yield(e, e.Facts)
		}
	}
}

// elect takes what most listings give, but the family observed last.
func (el *elector) elect(p *product) {
	el.names.reset()
	el.editions.reset()
	clear(el.classes[:])
	var latest latestFamily
	ps4, ps5 := false, false
	el.m.voices(p, func(e *catalog.Entry, f *catalog.Facts) {
		el.classes[catalog.ClassOf(f.Type, f.Demo)]++
		el.names.cast(f.InvariantName, 1)
		el.editions.cast(f.Edition, 1)
		latest.hear(f.Family, e.ObservedAt)
		ps4 = ps4 || len(f.Platforms) > 0
		ps5 = ps5 || slices.Contains(f.Platforms, "PS5")
	})
	p.withPS5 = ps5 || !ps4
	if latest.id != "" {
		p.family, p.familyBy = latest.id, familyGiven
	}
	p.class = catalog.GameClass
	for c := range el.classes {
		if el.classes[c] > el.classes[p.class] {
			p.class = catalog.Class(c)
		}
	}
	p.invariantName, _ = el.names.winner(titles.Fold)
	p.edition, _ = el.editions.winner(titles.FoldEdition)
	// The family name that is given beside that family, and the most specific
	// type of that class.
	el.families.reset()
	el.m.voices(p, func(_ *catalog.Entry, f *catalog.Facts) {
		if f.Family == p.family || f.Family == "" {
			el.families.cast(f.FamilyName, 1)
		}
		if catalog.ClassOf(f.Type, f.Demo) == p.class && specificity(f.Type) > specificity(p.typ) {
			p.typ = f.Type
		}
	})
	p.familyName, p.votes = el.families.winner(titles.Fold)
}

// latestFamily is the family observed last; of two at the same moment the
// smallest.
type latestFamily struct {
	id string
	at catalog.Millis
}

func (l *latestFamily) hear(family string, at catalog.Millis) {
	if family != "" && (l.id == "" || at > l.at || at == l.at && family < l.id) {
		l.id, l.at = family, at
	}
}

// specificity orders types: bundle before edition before base before game, a
// season pass before other add-ons.
func specificity(t catalog.Type) int {
	switch t {
	case catalog.Bundle:
		return 4
	case catalog.EditionType, catalog.SeasonPass:
		return 3
	case catalog.Base:
		return 2
	case 0:
		return 0
	}
	return 1
}

// label is the part of a product id that the same product often has in the
// regions of other storefronts: its last 16 characters. Shorter ids have none.
func label(product string) string {
	const length = 16
	if len(product) < length {
		return ""
	}
	return product[len(product)-length:]
}

package merge

import (
	"math"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/titles"
)

// product is a product id on one platform, summarized from its listings in all
// regions.
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
	standard      bool   // a listing names the standard edition, and none another
	editionText   string // of the operator
	slug          string // pcstore
	key           string

	votes      uint32         // how many listings have familyName
	live       uint32         // how many listings are not withdrawn
	start, end catalog.Millis // first seen; withdrawn everywhere since (forever if live)
	first      uint32         // its entries are order[first:last]
	last       uint32
}

// familyRule is where a product's family comes from.
type familyRule uint8

const (
	familyGiven familyRule = iota + 1
	familyByOperator
	familyByTitleID
	familyOwn // the product id itself
)

// unnamed reports whether the product has neither an edition nor an invariant name, so that
// its titles count.
func (p *product) unnamed() bool {
	return p.name == "" && p.edition == "" && !p.standard && !p.pinned
}

// inferred reports whether neither a listing nor the operator names the family.
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

// elector summarizes products. It reuses its ballots.
type elector struct {
	m                         *merger
	names, editions, families ballot
	classes                   [catalog.DemoClass + 1]uint32
}

// summarize sets the fields of a product from its listings: those on sale, or all
// of them if none is. A withdrawn product is on no card, but it counts for the age
// of the card that it was on.
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
	p.standard = p.edition == "" && slices.ContainsFunc(el.editions.texts, func(text string) bool {
		return titles.IsStandardEdition(titles.Fold(text))
	})
}

// eachVoter calls yield with the listings that decide what their product is.
func (m *merger) eachVoter(p *product, yield func(*catalog.Entry, *catalog.Facts)) {
	for _, i := range m.order[p.first:p.last] {
		e := &m.entries[i]
		if e.Facts != nil && (p.live == 0 || !e.Withdrawn) {
			yield(e, e.Facts)
		}
	}
}

// elect sets each field of a product to the value that most listings have, but the
// family to the one observed last.
func (el *elector) elect(p *product) {
	el.names.reset()
	el.editions.reset()
	clear(el.classes[:])
	var latest latestFamily
	known, ps5 := false, false // known: the listings give platforms
	el.m.eachVoter(p, func(e *catalog.Entry, f *catalog.Facts) {
		el.classes[catalog.ClassOf(f.Type, f.Demo)]++
		el.names.cast(f.InvariantName, 1)
		el.editions.cast(f.Edition, 1)
		latest.observe(f.Family, e.ObservedAt)
		known = known || len(f.Platforms) > 0
		ps5 = ps5 || slices.Contains(f.Platforms, "PS5")
	})
	if !known { // names and titles may give them
		ps4 := false
		el.m.eachVoter(p, func(_ *catalog.Entry, f *catalog.Facts) {
			for _, name := range [...]string{f.InvariantName, f.Title} {
				in4, in5 := titles.Platforms(name)
				ps4, ps5 = ps4 || in4, ps5 || in5
			}
		})
		ps5 = ps5 || !ps4
	}
	p.withPS5 = ps5
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
	// The family name comes from listings that name this family or none, the type
	// is the most specific one of the class.
	el.families.reset()
	el.m.eachVoter(p, func(_ *catalog.Entry, f *catalog.Facts) {
		if f.Family == p.family || f.Family == "" {
			el.families.cast(f.FamilyName, 1)
		}
		if catalog.ClassOf(f.Type, f.Demo) == p.class && specificity(f.Type) > specificity(p.typ) {
			p.typ = f.Type
		}
	})
	p.familyName, p.votes = el.families.winner(titles.Fold)
}

// latestFamily is the family observed last; of two observed at the same time it
// is the smallest.
type latestFamily struct {
	id string
	at catalog.Millis
}

func (l *latestFamily) observe(family string, at catalog.Millis) {
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

// label returns the last 16 characters of a product id, which are often the same in
// other storefronts. Shorter ids have no label.
func label(product string) string {
	const length = 16
	if len(product) < length {
		return ""
	}
	return product[len(product)-length:]
}

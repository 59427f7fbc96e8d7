package merge

import (
	"fmt"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
)

// Explained is how a card was made.
type Explained struct {
	ID       string
	Platform catalog.Platform
	Class    catalog.Class
	Family   string // the slug on the PC store
	Served   bool   // in the active regions
	Products []ExplainedProduct
	Text     string // all of this with the reasons, in lines that begin with the id
}

// ExplainedProduct is a product of a card.
type ExplainedProduct struct {
	ID                 string
	FirstSeen          catalog.Millis
	Regions, Withdrawn []string // alpha-2, sorted: where it is listed, and where it was
}

// Explain runs Merge and describes how the card with this id or slug was made; it ignores
// case. If there is no such card, Explain describes the cards that contain the product
// with this id.
func Explain(entries []catalog.Entry, overrides override.Set, before ServedBefore, active []catalog.Region, id string) []Explained {
	m := newMerger(entries, overrides, hashGameID)
	m.before = before
	m.merge()
	var byID, byProduct []Explained
	for i := range m.cards {
		c := &m.cards[i]
		switch {
		case strings.EqualFold(c.id, id):
			byID = append(byID, m.explain(c, active))
		case slices.ContainsFunc(c.products, func(n uint32) bool { return m.products[n].id == id }):
			byProduct = append(byProduct, m.explain(c, active))
		}
	}
	if len(byID) > 0 {
		return byID
	}
	return byProduct
}

func (m *merger) explain(c *card, active []catalog.Region) Explained {
	g := m.group(c)
	x := Explained{ID: c.id, Platform: c.family.platform, Class: c.class, Family: c.family.id, Served: g.Served(m.entries, active)}
	for _, n := range c.products {
		x.Products = append(x.Products, m.explainedProduct(&m.products[n]))
	}
	x.Text = m.explainMaking(c, x.Products) + m.explainTexts(c, active) + m.explainServed(c, active)
	return x
}

func (m *merger) explainedProduct(p *product) ExplainedProduct {
	x := ExplainedProduct{ID: p.id, FirstSeen: p.start}
	for _, i := range m.order[p.first:p.last] {
		if e := &m.entries[i]; e.Withdrawn {
			x.Withdrawn = append(x.Withdrawn, e.Region.String())
		} else {
			x.Regions = append(x.Regions, e.Region.String())
		}
	}
	slices.Sort(x.Regions)
	slices.Sort(x.Withdrawn)
	return x
}

func (m *merger) explainMaking(c *card, products []ExplainedProduct) string {
	b := new(strings.Builder)
	f, onPC := c.family, c.family.platform == catalog.PCStore
	fmt.Fprintf(b, "%s (%s, class %s)\n", c.id, f.platform, c.class)
	if !onPC {
		fmt.Fprintf(b, "  family     %s\n", f.id)
	}
	switch {
	case !onPC && f.nameBy == nameGiven:
		fmt.Fprintf(b, "  name       %q, the family name that most listings give\n", f.name)
	case !onPC && f.nameBy == nameShortest:
		fmt.Fprintf(b, "  name       %q, the shortest name of its games, as no listing gives a family name\n", f.name)
	}
	fmt.Fprintf(b, "  key        %q: %s\n", c.key, c.keyBy)
	for _, d := range c.divisions {
		fmt.Fprintf(b, "  parted by  %s: %q\n", d.By, d.Value)
	}
	fmt.Fprintf(b, "  id         %s\n", m.idSource(c))
	for i, n := range c.products {
		m.explainProduct(b, c, &m.products[n], &products[i])
	}
	return b.String()
}

// idSource says what the id of a card is made of.
func (m *merger) idSource(c *card) string {
	if c.family.platform == catalog.PCStore {
		return "the slug"
	}
	made := tupleTexts[c.tuple[0]]
	for _, d := range c.divisions[:c.inTuple] {
		made += ", " + d.By.String()
	}
	if c.inTuple < len(c.divisions) {
		made += "; as the oldest part it keeps the id from before the last division"
	}
	if first := m.hash(c.tuple, 0); first != c.id && slices.Contains(m.refused, first) {
		made += "; with a counter, as the listings that were served as " + first + " are in other cards now"
	}
	return made
}

func (m *merger) explainProduct(b *strings.Builder, c *card, p *product, x *ExplainedProduct) {
	fmt.Fprintf(b, "  product    %s, first seen %s\n", p.id, p.start.Time().Format("2006-01-02 15:04:05"))
	if c.family.platform != catalog.PCStore {
		fmt.Fprintf(b, "    family   %s\n", p.familyBy)
		if p.keyBy != c.keyBy {
			fmt.Fprintf(b, "    key      %s\n", p.keyBy)
		}
	}
	if compared := m.comparedTitles(p); len(compared) > 0 && c.family.platform != catalog.PCStore {
		fmt.Fprintf(b, "    titles   %q, which join products without edition and invariant name\n", compared)
	}
	fmt.Fprintf(b, "    regions  %s\n", strings.Join(x.Regions, " "))
	if len(x.Withdrawn) > 0 {
		fmt.Fprintf(b, "    left     %s\n", strings.Join(x.Withdrawn, " "))
	}
}

// explainTexts describes the card's title in each language and which listing has it.
func (m *merger) explainTexts(c *card, active []catalog.Region) string {
	g := m.group(c)
	if len(g.Entries) == 0 {
		return ""
	}
	maker := composer{group: &g, entries: m.entries, active: active, languages: languages{}}
	shown := compose(&maker, nil)
	b := new(strings.Builder)
	for i, t := range maker.localTitles(maker.preferred) { // one for each of the texts
		from := "title"
		switch {
		case t.title == t.entry.Facts.InvariantName && t.language == catalog.English && !t.own:
			from = "invariant name"
		case !t.own:
			from = "further title"
		}
		fmt.Fprintf(b, "  in %-8s%q, the %s in %s\n", t.language, shown.Texts[i].Title, from, t.entry.Region)
	}
	return b.String()
}

func (m *merger) explainServed(c *card, active []catalog.Region) string {
	g := m.group(c)
	var listed []string
	for _, i := range g.Entries {
		listed = append(listed, m.entries[i].Region.String())
	}
	listed = slices.Compact(listed)
	switch {
	case len(listed) == 0:
		return "  served     no: all its listings are withdrawn\n"
	case g.Served(m.entries, active):
		return "  served     yes\n"
	}
	return fmt.Sprintf("  served     no: none of its regions is active; to serve it, start serve with --active-regions and one of %s\n", strings.Join(listed, ","))
}

var tupleTexts = map[byte]string{
	tupleFamily:  "family, family name and key",
	tupleKey:     "family and key",
	tupleName:    "family and name of its oldest product",
	tupleEdition: "family and edition of its oldest product",
	tupleProduct: "oldest product, as no listing gives the family",
}

var familyRuleTexts = [...]string{
	familyGiven:      "its listings give the family",
	familyByOperator: "an override gives the family",
	familyByTitleID:  "the only family with one of its title ids",
	familyOwn:        "no family is known, so the product is one of its own",
}

// String returns the rule in words.
func (r familyRule) String() string { return familyRuleTexts[r] }

var keyRuleTexts = [...]string{
	keyRemainder: "invariant name without the family name",
	keyEdition:   "edition as shown, as a name is missing",
	keyOperator:  "edition given by an override",
	keyOwnName:   "whole invariant name, as it does not begin with the family name",
	keyName:      "invariant name",
	keyLabel:     "product label, as it has no invariant name",
	keyProduct:   "product id, as it has neither name nor label",
	keySlug:      "slug",
}

// String returns the rule in words.
func (r keyRule) String() string { return keyRuleTexts[r] }

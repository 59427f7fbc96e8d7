package merge

import (
	"fmt"
	"slices"
	"strings"

	"gamedex/internal/catalog"
)

// Explanation tells why a card is what it is.
type Explanation struct {
	ID        string
	Platform  catalog.Platform
	Class     catalog.Class
	Family    string
	NameRule  string // where the name comes from that invariant names are cut by
	Key       string
	KeyRule   string
	Divisions []Division
	IDRule    string // what the id is made of
	Products  []ProductReason
}

// ProductReason tells why a product is in a card, and with which listings.
type ProductReason struct {
	Product    string
	FamilyRule string
	KeyRule    string
	FirstSeen  catalog.Millis
	Regions    []catalog.Region // where it is on sale
	Withdrawn  []catalog.Region // where it was; they take no part
}

// Explain runs Merge and tells about the card with this id or slug, in any
// case; if there is none, about the cards that hold the product of this id.
func Explain(entries []catalog.Entry, overrides Overrides, id string) []Explanation {
	m := newMerger(entries, overrides, hashGameID)
	m.merge()
	var byID, byProduct []Explanation
	for i := range m.cards {
		c := &m.cards[i]
		holds := slices.ContainsFunc(c.products, func(n uint32) bool { return m.products[n].id == id })
		switch {
		case strings.EqualFold(c.id, id):
			byID = append(byID, m.explain(c))
		case holds:
			byProduct = append(byProduct, m.explain(c))
		}
	}
	if len(byID) > 0 {
		return byID
	}
	return byProduct
}

func (m *merger) explain(c *card) Explanation {
	x := Explanation{
		ID: c.id, Platform: c.family.platform, Class: c.class, Family: c.family.id, Key: c.key, KeyRule: c.keyBy.String(), Divisions: c.divisions,
		IDRule: c.explainID(),
	}
	switch name := c.family.name; c.family.nameBy {
	case nameGiven:
		x.NameRule = fmt.Sprintf("%q, the family name that most listings give", name)
	case nameShortest:
		x.NameRule = fmt.Sprintf("%q, the shortest name of its games, as no listing gives a family name", name)
	}
	for _, n := range c.products {
		p := &m.products[n]
		r := ProductReason{Product: p.id, FamilyRule: p.familyBy.String(), KeyRule: p.keyBy.String(), FirstSeen: p.start}
		if c.family.platform == catalog.PCStore {
			r.FamilyRule, r.KeyRule = keySlug.String(), keySlug.String()
		}
		for _, i := range m.order[p.first:p.last] {
			if e := &m.entries[i]; e.Withdrawn {
				r.Withdrawn = append(r.Withdrawn, e.Region)
			} else {
				r.Regions = append(r.Regions, e.Region)
			}
		}
		slices.SortFunc(r.Regions, catalog.Region.Compare)
		slices.SortFunc(r.Withdrawn, catalog.Region.Compare)
		x.Products = append(x.Products, r)
	}
	return x
}

// explainID says what the hash is made of.
func (c *card) explainID() string {
	if c.family.platform == catalog.PCStore {
		return "the slug"
	}
	made := map[byte]string{
		tupleFamily:  "family, family name and key",
		tupleKey:     "family and key",
		tupleName:    "family and name of its oldest product",
		tupleEdition: "family and edition of its oldest product",
		tupleProduct: "oldest product, as no listing gives the family",
	}[c.tuple[0]]
	for _, d := range c.divisions[:c.told] {
		made += ", " + d.By.String()
	}
	if c.told < len(c.divisions) {
		made += "; as the oldest part it keeps the id from before the last division"
	}
	return made
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

// String writes the explanation as lines.
func (x Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s, class %s)\n", x.ID, x.Platform, x.Class)
	if x.Platform == catalog.ConsoleStore {
		fmt.Fprintf(&b, "  family     %s\n", x.Family)
		if x.NameRule != "" {
			fmt.Fprintf(&b, "  name       %s\n", x.NameRule)
		}
	}
	fmt.Fprintf(&b, "  key        %q: %s\n", x.Key, x.KeyRule)
	for _, d := range x.Divisions {
		fmt.Fprintf(&b, "  parted by  %s: %q\n", d.By, d.Value)
	}
	fmt.Fprintf(&b, "  id         %s\n", x.IDRule)
	for _, p := range x.Products {
		fmt.Fprintf(&b, "  product    %s, first seen %s\n", p.Product, p.FirstSeen.Time().Format("2006-01-02 15:04:05"))
		if x.Platform == catalog.ConsoleStore {
			fmt.Fprintf(&b, "    family   %s\n", p.FamilyRule)
		}
		if p.KeyRule != x.KeyRule {
			fmt.Fprintf(&b, "    key      %s\n", p.KeyRule)
		}
		fmt.Fprintf(&b, "    regions  %s\n", joinRegions(p.Regions))
		if len(p.Withdrawn) > 0 {
			fmt.Fprintf(&b, "    left     %s\n", joinRegions(p.Withdrawn))
		}
	}
	return b.String()
}

func joinRegions(regions []catalog.Region) string {
	codes := make([]string, len(regions))
	for i, r := range regions {
		codes[i] = r.String()
	}
	return strings.Join(codes, " ")
}

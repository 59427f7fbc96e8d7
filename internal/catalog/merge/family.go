package merge

import (
	"cmp"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/titles"
)

// family is the products of one game, add-ons included; on the PC store the
// products of one slug.
type family struct {
	id       string
	platform catalog.Platform
	members  []uint32 // product numbers
	name     string   // folded; invariant names begin with it
	nameBy   nameRule
}

// nameRule is where a family's name comes from.
type nameRule uint8

const (
	nameMissing nameRule = iota
	nameGiven            // the family name that most listings have
	nameShortest
)

// keyRule is what a product's key was made of. Products can share a card only if
// both key and space of the rule are equal: an edition never equals a name.
type keyRule uint8

const (
	keyRemainder keyRule = iota + 1 // the invariant name after the family name
	keyEdition                      // the edition as shown, a name being missing
	keyOperator
	keyOwnName // the whole name, which does not begin with the family's
	keyName    // the add-on's name
	keyLabel
	keyProduct
	keySlug
)

// space returns the rule that represents all rules whose keys are compared with
// each other.
func (r keyRule) space() keyRule {
	if r <= keyOperator {
		return keyRemainder
	}
	return r
}

// setKeys sets the family's name and then the key of every member.
func (f *family) setKeys(products []product) {
	var given ballot
	shortest := ""
	for _, n := range f.members {
		p := &products[n]
		if p.live == 0 {
			continue
		}
		given.cast(titles.FoldGame(p.familyName), p.votes)
		plainGame := p.class == catalog.GameClass && p.typ == catalog.Game && p.edition == ""
		if plainGame && p.name != "" && (shortest == "" || cmp.Or(len(p.name)-len(shortest), strings.Compare(p.name, shortest)) < 0) {
			shortest = p.name
		}
	}
	if name, votes := given.first(); votes > 0 {
		f.name, f.nameBy = name, nameGiven
	} else if shortest != "" {
		f.name, f.nameBy = shortest, nameShortest
	}
	for _, n := range f.members {
		p := &products[n]
		p.key, p.keyBy = f.keyOf(p)
	}
}

func (f *family) keyOf(p *product) (string, keyRule) {
	if p.class == catalog.AddOnClass || p.class == catalog.SubscriptionClass {
		switch {
		case p.name != "":
			return p.name, keyName
		case label(p.id) != "":
			return label(p.id), keyLabel
		}
		return p.id, keyProduct
	}
	if p.pinned {
		return p.edition, keyOperator
	}
	if f.name == "" || p.name == "" {
		return p.edition, keyEdition
	}
	if rest, ok := titles.CutPrefix(p.name, f.name); ok {
		return rest, keyRemainder
	}
	return p.name, keyOwnName
}

// comparedName returns the name by which products of one key are compared: without
// the family name, the edition and the names of the standard edition.
func (f *family) comparedName(p *product) string {
	name := p.name
	if rest, ok := titles.CutPrefix(name, f.name); ok && f.name != "" {
		name = rest
	}
	if name == p.edition {
		return ""
	}
	if p.edition != "" {
		name = strings.TrimSuffix(name, " "+p.edition)
	}
	if titles.IsStandardEdition(name) {
		return ""
	}
	return name
}

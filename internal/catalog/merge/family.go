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
	name     string   // folded; what invariant names begin with
	nameBy   nameRule
}

// nameRule says where a family's name comes from.
type nameRule uint8

const (
	nameMissing nameRule = iota
	nameGiven            // most listings that give one give this
	nameShortest
)

// keyRule says what a product's key was made of. Products join only if text
// and rule's space agree, so that an edition never meets a name.
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

// space is where keys of the rule are compared.
func (r keyRule) space() keyRule {
	if r <= keyOperator {
		return keyRemainder
	}
	return r
}

// setKeys finds the family's name and then every member's key.
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

// comparedName is the name as two products of one key compare it: without
// family name, edition and the standard edition's names.
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

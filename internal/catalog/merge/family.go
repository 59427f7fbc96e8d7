package merge

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"slices"
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

// gameIDHash returns the id for a card's tuple; try is the number of collisions
// before.
type gameIDHash func(tuple string, try uint32) string

// crockford encodes ids without I, L, O and U.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// hashGameID encodes the first 40 bits of a SHA-256.
func hashGameID(tuple string, try uint32) string {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint32(nil, try), tuple...))
	return crockford.EncodeToString(sum[:5])
}

// The first byte of a tuple is its kind, so that tuples of two kinds are never equal.
const (
	tupleFamily  = 'f' // the family's name is given: name and key
	tupleKey     = 'k' // the key depends on nothing but the product
	tupleName    = 'n' // the family's name is derived: the leader's own name
	tupleEdition = 'e' // the leader has no name: its edition
	tupleProduct = 'p' // the family itself is inferred: the leader
)

// tuple returns the bytes whose hash is the id of a part: family, class, key and
// the divisions that led to it. Where the family's name, or the family itself, is
// not given but found by comparing products, a new product may change the result
// of the comparison. The tuple then contains, instead of the key, what the key of
// the oldest product was made of: it does not depend on the comparison.
func (m *merger) tuple(f *family, a age, path []Division) string {
	p := &m.products[a.leader]
	kind, texts := byte(tupleName), []string{f.id, p.name}
	switch {
	case a.inferred:
		kind, texts = tupleProduct, []string{p.id}
	case p.keyBy >= keyName || p.keyBy == keyOperator && f.nameBy != nameGiven:
		kind, texts = tupleKey, []string{f.id, p.key}
	case f.nameBy == nameGiven:
		kind, texts = tupleFamily, []string{f.id, f.name, p.key}
	case p.name == "":
		kind, texts = tupleEdition, []string{f.id, p.edition}
	case f.nameBy == nameMissing:
		texts = append(texts, p.edition)
	}
	b := catalog.AppendStrings([]byte{kind, byte(f.platform), byte(p.class), byte(p.keyBy.space())}, texts)
	for _, d := range path {
		b = catalog.AppendString(append(b, byte(d.By)), d.Value)
	}
	return string(b)
}

// assignIDs sets the id of every console card, and sorts the cards by platform and
// id. If two cards have the same hash, the one that was seen first keeps the id:
// the cards are in this order before.
func (m *merger) assignIDs() {
	taken := make(map[string]bool, len(m.cards))
	for i := range m.cards {
		c := &m.cards[i]
		if c.family.platform == catalog.PCStore {
			continue
		}
		for try := uint32(0); c.id == "" || taken[c.id] || m.refuses(c, c.id); try++ {
			c.id = m.hash(c.tuple, try)
		}
		taken[c.id] = true
	}
	slices.SortFunc(m.cards, func(a, b card) int {
		return cmp.Or(cmp.Compare(a.family.platform, b.family.platform), strings.Compare(a.id, b.id))
	})
}

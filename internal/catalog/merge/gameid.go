package merge

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"slices"
	"strings"

	"gamedex/internal/catalog"
)

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

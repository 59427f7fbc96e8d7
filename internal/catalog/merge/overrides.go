package merge

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"gamedex/internal/catalog"
)

// Override is what an operator says about one product instead of what its
// listings say. A nil field leaves that to the listings.
type Override struct {
	Platform catalog.Platform
	Product  string
	Family   *string // empty: the product is a family of its own
	Edition  *string // empty: the standard edition
	Type     *catalog.Type
}

// Overrides are a set of corrections, an input to Merge. The zero value has
// none. It is never changed after NewOverrides.
type Overrides struct {
	by map[productKey]Override
}

type productKey struct {
	platform catalog.Platform
	product  string
}

// NewOverrides makes the set; of two for one product the later counts.
func NewOverrides(list ...Override) Overrides {
	by := make(map[productKey]Override, len(list))
	for _, o := range list {
		by[productKey{o.Platform, o.Product}] = o
	}
	return Overrides{by: by}
}

// Find gives the override of a product.
func (o Overrides) Find(p catalog.Platform, product string) (Override, bool) {
	found, ok := o.by[productKey{p, product}]
	return found, ok
}

// Len is how many products are overridden.
func (o Overrides) Len() int { return len(o.by) }

// Hash tells two sets apart; the order of their lines does not matter. No
// override at all is 0.
func (o Overrides) Hash() uint64 {
	if len(o.by) == 0 {
		return 0
	}
	keys := slices.SortedFunc(maps.Keys(o.by), func(a, b productKey) int {
		return cmp.Or(cmp.Compare(a.platform, b.platform), cmp.Compare(a.product, b.product))
	})
	var b []byte
	for _, k := range keys {
		b = o.by[k].appendBinary(b)
	}
	sum := sha256.Sum256(b)
	return binary.LittleEndian.Uint64(sum[:])
}

func (o Override) appendBinary(dst []byte) []byte {
	dst = catalog.AppendString(append(dst, byte(o.Platform)), o.Product)
	dst = appendOptional(dst, o.Family)
	dst = appendOptional(dst, o.Edition)
	if o.Type == nil {
		return append(dst, 0)
	}
	return append(dst, 1, byte(*o.Type))
}

func appendOptional(dst []byte, s *string) []byte {
	if s == nil {
		return append(dst, 0)
	}
	return catalog.AppendString(append(dst, 1), *s)
}

package catalog

// ContestedFamilies finds the products whose listings name different families.
// Merge takes the family that was observed last, so it reads ObservedAt of their
// listings. The zero value is ready for use.
type ContestedFamilies struct {
	families  map[productKey]string // the first that a listing names
	contested map[productKey]bool
}

type productKey struct {
	platform Platform
	product  string
}

// AddListing adds the family that a listing names, "" for none. The listing must
// not be withdrawn.
func (c *ContestedFamilies) AddListing(p Platform, product, family string) {
	if family == "" {
		return
	}
	key := productKey{p, product}
	switch known := c.families[key]; {
	case known == "":
		if c.families == nil {
			c.families, c.contested = map[productKey]string{}, map[productKey]bool{}
		}
		c.families[key] = family
	case known != family:
		c.contested[key] = true
	}
}

// MergeReadsObservedAt reports whether the merge of cards depends on when the
// content of a listing was first observed, and not only on when it was last seen.
func (c *ContestedFamilies) MergeReadsObservedAt(l *Listing) bool {
	return l.Withdrawn || c.contested[productKey{l.Platform, l.Product}]
}

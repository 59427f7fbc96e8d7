package builder

import (
	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
)

// changes are the changes of the listings since the last publication: only prices, or
// also other fields.
type changes struct {
	repriced []uint32 // entries, some of them twice
	others   bool     // something other than prices changed

	// A price change can move a product to another family, because
	// merge.FamilyOf depends on which listing was seen last. The fields below
	// find such products. A publication does not reset them.
	regions   map[catalog.Region]bool  // of all listings
	ambiguous map[uint32]bool          // products whose listings have several families
	familyWas map[familyProduct]string // families of changed products before this update
}

// forget forgets the changes after they were published.
func (c *changes) forget() { c.repriced, c.others = c.repriced[:0], false }

// repricedRegions returns the regions of the listings whose prices changed.
func (t *listingTable) repricedRegions() map[catalog.Region]bool {
	regions := map[catalog.Region]bool{}
	for _, i := range t.changes.repriced {
		regions[t.entries[i].Region] = true
	}
	return regions
}

// familyProduct identifies a product in merge.FamilyOf.
type familyProduct struct {
	number   uint32
	platform catalog.Platform
	slug     string // on the PC store
}

// noteChange records that entry i is about to become e.
func (t *listingTable) noteChange(i, number uint32, e *catalog.Entry) {
	c, before := &t.changes, &t.entries[i]
	switch {
	case c.others:
	case !merge.OnlyRepriced(before, e), len(c.repriced) > len(t.entries):
		c.others = true // the second condition bounds the list after a long time without publication
	default:
		c.repriced = append(c.repriced, i)
		if !c.ambiguous[number] {
			return
		}
		p := familyProduct{number: number, platform: before.Platform}
		if p.platform == catalog.PCStore {
			p.slug = before.Facts.Slug
		}
		if _, known := c.familyWas[p]; !known {
			c.familyWas[p] = t.familyOf(p)
		}
	}
}

func (t *listingTable) familyOf(p familyProduct) string {
	var listings []*catalog.Entry
	for region := range t.changes.regions {
		if i, known := t.at[keyOf(p.number, p.platform, region)]; known {
			if e := &t.entries[i]; p.platform != catalog.PCStore || e.Facts.Slug == p.slug {
				listings = append(listings, e)
			}
		}
	}
	return merge.FamilyOf(listings)
}

package merge

import (
	"slices"

	"gamedex/internal/catalog"
)

// Most changes of a catalog are prices, and prices hardly ever change a card.
// So a builder may keep groups and cards of the entries before, if it knows
// that Merge and Compose would make the same of the entries now. They read
//
//	Platform, Product, Region, Withdrawn, Facts, FirstSeen   Merge
//	Locale, URL, Prose, Popularity                           Compose
//	ObservedAt      Merge, between the families that the listings of one
//	                product give (FamilyOf), and of withdrawn listings
//	Price.Current   Compose, between the offers of a slug (Lead)
//
// and nothing else: neither PricedAt nor the rest of a price.

// OnlyRepriced reports whether the entry now may take the place of was and leave
// all groups and cards as they are, provided that FamilyOf still returns the same
// for its product and, on the PC store, Lead for its slug. Facts are compared
// by address: equal ones are expected to be shared.
func OnlyRepriced(was, now *catalog.Entry) bool {
	// Whatever is added to an entry counts as read until it is named here.
	as := *now
	as.Price, as.PricedAt, as.ObservedAt = was.Price, was.PricedAt, was.ObservedAt
	return as == *was && !was.Withdrawn
}

// FamilyOf is the family that the listings of one product give, as Merge elects
// it before overrides count; "" if none has one. A product of the PC store is
// another one under each slug.
func FamilyOf(listings []*catalog.Entry) string {
	live := slices.ContainsFunc(listings, func(e *catalog.Entry) bool { return !e.Withdrawn })
	var latest latestFamily
	for _, e := range listings {
		if e.Facts != nil && (!live || !e.Withdrawn) {
			latest.hear(e.Facts.Family, e.ObservedAt)
		}
	}
	return latest.id
}

// Lead tells which offer leads a PC card, and which entry is its price in each
// region, sorted by region: Card.Lead and Card.Rows. Of the offers it reads
// only ID, Type, Demo and Rows; there is at least one.
func Lead(offers []catalog.Offer, entries []catalog.Entry, active []catalog.Region) (id string, rows []uint32) {
	c := composer{entries: entries, active: active}
	lead := c.lead(offers)
	return lead.ID, c.pcRows(offers, lead)
}

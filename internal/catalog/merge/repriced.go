package merge

import (
	"slices"

	"gamedex/internal/catalog"
)

// Most changes of a catalog are prices, and a price rarely changes a card. A builder
// may keep groups and cards if it knows that Merge and Compose would return the
// same for the new entries. They read
//
//	Platform, Product, Region, Withdrawn, Facts, FirstSeen   Merge
//	Locale, URL, Prose, Popularity                           Compose
//	ObservedAt      Merge, to choose between the families that the listings of
//	                one product name (FamilyOf), and of withdrawn listings
//	Price.Current   Compose, to choose between the offers of a slug (Lead)
//
// and nothing else: neither PricedAt nor the rest of a price.

// OnlyRepriced reports whether the entry now may take the place of was and leave
// all groups and cards as they are, provided that FamilyOf still returns the same
// for its product and, on the PC store, Lead for its slug. Facts are compared
// by address: equal ones are expected to be shared.
func OnlyRepriced(was, now *catalog.Entry) bool {
	// A field that is added to Entry counts as read until it is listed here.
	as := *now
	as.Price, as.PricedAt, as.ObservedAt = was.Price, was.PricedAt, was.ObservedAt
	return as == *was && !was.Withdrawn
}

// FamilyOf returns the family that Merge takes from the listings of one product,
// before overrides; "" if no listing names one. On the PC store, listings under
// different slugs are different products.
func FamilyOf(listings []*catalog.Entry) string {
	live := slices.ContainsFunc(listings, func(e *catalog.Entry) bool { return !e.Withdrawn })
	var latest latestFamily
	for _, e := range listings {
		if e.Facts != nil && (!live || !e.Withdrawn) {
			latest.observe(e.Facts.Family, e.ObservedAt)
		}
	}
	return latest.id
}

// Lead returns the id of the offer that leads a PC card, and the entries with the
// card's prices, sorted by region: Card.Lead and Card.Rows. It reads only ID, Type,
// Demo and Rows of the offers. There must be at least one offer.
func Lead(offers []catalog.Offer, entries []catalog.Entry, active []catalog.Region) (id string, rows []uint32) {
	c := composer{entries: entries, active: active}
	lead := c.lead(offers)
	return lead.ID, c.pcRows(offers, lead)
}

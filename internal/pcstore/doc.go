// Package pcstore reads a PC game store: it converts its catalog search and its pages into
// parts of listings.
//
//	prices   searchStoreQuery, page by page ─► elements ─┐
//	details  mappings/{slug} ─► getCatalogOffer each ────┤ offer.go, price.go, slug.go
//	         products/{id}: genres, developers, names ───┘
//	                                      ▼
//	             sweep.Page: one part per offer and country of a price region
//
// A listing is an offer. Its slug is the home page of the game, which all offers of a
// namespace share; the offer's own page is an alias. One request covers all countries of
// a price region and names the first; black and white lists decide in which countries an
// offer is listed.
//
// Both kinds of job read an offer with the same function, so that they agree. Fields that
// a search shows less reliably than the details (genres, the name of an edition, a release
// date derived from the first day on sale) are guesses.
//
// Operations, hashes, addresses, categories and countries come from an operator's profile.
// The package refuses to treat an empty or invalid answer as an empty store. It refuses to
// list offers that nobody can find or buy (test audiences, mystery giveaways, offers
// without a home page). It refuses to repair prices: it marks a number that disagrees with
// its text as doubtful.
package pcstore

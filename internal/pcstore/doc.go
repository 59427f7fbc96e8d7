// Package pcstore reads a PC game store: what its catalog search and its pages
// show becomes parts of listings.
//
//	prices   searchStoreQuery, page by page ─► elements ─┐
//	details  mappings/{slug} ─► getCatalogOffer each ────┤ offer.go, price.go, slug.go
//	         products/{id}: genres, developers, names ───┘
//	                                      ▼
//	             catalog.Page: one part per offer and country of a price region
//
// A listing is an offer; its slug is the game's home, which all offers of a
// namespace share, and the offer's own page is an alias. Countries that share
// a price region are asked for once, as the first of them; black and white
// lists decide in which an offer is listed.
//
// Both kinds of job read an offer with the same function, so that they agree.
// What a search shows less well than an offer's own answer (genres, the name
// of an edition, a release date made of the first day on sale) is a guess
// there; details have the last word.
//
// Operations, hashes, addresses, categories and countries come from an
// operator's profile: the package knows no store's. It refuses to take an
// empty or unreadable answer for an empty store, to list what nobody can find
// or buy (test audiences, mystery giveaways, offers without a home page), and
// to repair prices: a number that disagrees with its text is marked doubtful.
package pcstore

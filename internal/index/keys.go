package index

import (
	"strings"

	"gamedex/internal/catalog"
)

// A search for one of these texts finds its cards exactly. Product ids and
// title ids are filed under "keys". A store link is found by the product id or
// slug that stands in it; only links without one are filed themselves.

// packKeys files everything by which cards are found exactly.
func (k *catalogPacker) packKeys() {
	for i, c := range k.cards {
		card := uint32(i)
		k.ids.add(hashOf(c.ID), card)
		for _, alias := range c.Aliases {
			k.ids.add(hashOf(alias), card)
		}
		for _, id := range c.TitleIDs {
			k.keys.add(hashOf(bareTitleID(id)), card)
		}
		for product := range products(k.plan, c) {
			k.keys.add(hashOf(product), card)
		}
		k.packLinks(card, c)
	}
}

// packLinks files the store links that show neither product id nor slug.
func (k *catalogPacker) packLinks(card uint32, c *catalog.Card) {
	for rows := range rowLists(c) {
		for _, n := range rows {
			e := &k.in.Entries[n]
			if e.URL != "" && !k.speaks(c, e) {
				k.keys.add(hashOf(e.URL.URL(e.Product, e.Facts.Slug)), card)
			}
		}
	}
}

// speaks tells whether a part of the entry's link is the product id or the
// card's slug. Few patterns serve all listings, so the answer is kept by
// pattern.
func (k *catalogPacker) speaks(c *catalog.Card, e *catalog.Entry) bool {
	if strings.ContainsAny(e.Product, linkSeparators) || e.Facts.Slug != slugOf(c) {
		return false
	}
	answer, known := k.patterns[e.URL]
	if !known {
		for part := range linkParts(e.URL.URL(productMark, slugMark)) {
			answer = answer || part == productMark || part == slugMark
		}
		k.patterns[e.URL] = answer
	}
	return answer
}

const linkSeparators = "/?&=#"

// linkParts yields the parts of a link between separators.
func linkParts(url string) func(yield func(string) bool) {
	return strings.FieldsFuncSeq(url, func(r rune) bool {
		return strings.ContainsRune(linkSeparators, r)
	})
}

// bareTitleID cuts the "_00" that some sources write behind a title id.
func bareTitleID(id string) string { return strings.TrimSuffix(id, "_00") }

package pack

import (
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
)

// packKeys adds everything by which a search finds cards exactly: ids and
// aliases, product ids and title ids, and the store links that show neither
// product id nor slug. Other links are found by these.
func (k *catalogPacker) packKeys() {
	for i, c := range k.cards {
		card := uint32(i)
		k.ids.Add(c.ID, card)
		for _, alias := range c.Aliases {
			k.ids.Add(alias, card)
		}
		for _, id := range c.TitleIDs {
			k.keys.Add(layout.BareTitleID(id), card)
		}
		for product := range products(k.plan, c) {
			k.keys.Add(product, card)
		}
		for rows := range rowLists(c) {
			for _, n := range rows {
				e := &k.in.Entries[n]
				if e.URL != "" && !k.linkShowsKey(c, e) {
					k.keys.Add(e.URL.URL(e.Product, e.Facts.Slug), card)
				}
			}
		}
	}
}

// linkShowsKey reports whether a part of the entry's link is the product id or
// the card's slug. Few patterns serve all listings, so it keeps the answer by
// pattern.
func (k *catalogPacker) linkShowsKey(c *catalog.Card, e *catalog.Entry) bool {
	if strings.ContainsAny(e.Product, layout.LinkSeparators) || e.Facts.Slug != slugOf(c) {
		return false
	}
	answer, known := k.patterns[e.URL]
	if !known {
		for part := range layout.LinkParts(e.URL.URL(layout.ProductPlaceholder, layout.SlugPlaceholder)) {
			answer = answer || part == layout.ProductPlaceholder || part == layout.SlugPlaceholder
		}
		k.patterns[e.URL] = answer
	}
	return answer
}

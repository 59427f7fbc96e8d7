package pack

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/snapshot"
)

// packMoved packs the former ids, lower-case and sorted. The list of an id is empty if none of
// its listings is served.
func (k *catalogPacker) packMoved() {
	served := make(map[string]bool, len(k.cards))
	for _, c := range k.cards {
		served[strings.ToLower(c.ID)] = true
	}
	current := make(map[string][]string, len(k.in.Moved))
	for _, id := range slices.Sorted(maps.Keys(k.in.Moved)) {
		current[strings.ToLower(id)] = k.in.Moved[id]
	}
	for _, id := range slices.Sorted(maps.Keys(current)) {
		if served[id] {
			continue
		}
		var numbers []uint32
		for _, successor := range current[id] {
			if served[strings.ToLower(successor)] {
				numbers = append(numbers, k.texts.numberText(successor))
			}
		}
		k.moved = snapshot.AppendU32(k.moved, k.texts.numberText(id), k.lists.placeList(numbers))
	}
}

func (k *catalogPacker) blob() ([]byte, error) {
	w := snapshot.NewWriter(layout.CatalogKind, layout.Format)
	meta, _ := json.Marshal(layout.CatalogMeta{Identity: k.identity, Regions: k.regions, Active: k.in.Active, Platforms: k.in.Regions, Unserved: k.in.Unserved})
	w.Add(layout.SectionMeta, meta)
	if err := k.texts.table.AddTo(w, layout.SectionStrings); err != nil {
		return nil, err
	}
	w.Add(layout.SectionCards, k.records)
	w.Add(layout.SectionOffers, k.offers)
	w.Add(layout.SectionTexts, k.lists.data)
	w.Add(layout.SectionLinks, k.links.data)
	w.Add(layout.SectionIDs, k.ids.Bytes())
	w.Add(layout.SectionKeys, k.keys.Bytes())
	w.Add(layout.SectionMoved, k.moved)
	w.Add(layout.SectionRanking, k.ranking)
	k.addTextsTo(w)
	if err := k.search.AddTo(w); err != nil {
		return nil, err
	}
	return w.Bytes()
}

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

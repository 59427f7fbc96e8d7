package pack

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/snapshot"
)

// packMoved packs the former ids of which some listings are still served,
// lower-case and sorted.
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
		if len(numbers) > 0 {
			k.moved = snapshot.AppendU32(k.moved, k.texts.numberText(id))
			k.moved = snapshot.AppendU32(k.moved, k.lists.placeList(numbers))
		}
	}
}

// hashIdentity returns the name of the catalog for its prices: a hash of its
// regions and cards, which rows number.
func (k *catalogPacker) hashIdentity() string {
	d := digest(layout.Format)
	for _, r := range k.regions {
		d = d.addText(r.String())
	}
	for _, c := range k.hashes {
		d = d.addNumber(c)
	}
	return strconv.FormatUint(d.addNumber(uint64(len(k.hashes))).sum(), 16)
}

func (k *catalogPacker) blob() ([]byte, error) {
	w := snapshot.NewWriter(layout.CatalogKind, layout.Format)
	meta, err := json.Marshal(k.meta())
	if err != nil {
		return nil, fmt.Errorf("write section %q: %w", layout.SectionMeta, err)
	}
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
	if err := k.search.AddTo(w); err != nil {
		return nil, err
	}
	return w.Bytes()
}

func (k *catalogPacker) meta() layout.CatalogMeta {
	m := layout.CatalogMeta{Identity: k.identity, Regions: codes(k.regions), Active: codes(k.in.Active),
		Platforms: map[string][]string{}}
	for p, regions := range k.in.Regions {
		m.Platforms[p.String()] = codes(regions)
	}
	return m
}

func codes(regions []catalog.Region) []string {
	list := make([]string, len(regions))
	for i, r := range regions {
		list[i] = r.String()
	}
	return list
}

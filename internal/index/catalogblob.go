package index

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/snapshot"
)

// packMoved keeps the former ids of which some listings are still served,
// lower-case and sorted.
func (k *catalogPacker) packMoved() {
	served := make(map[string]bool, len(k.cards))
	for _, c := range k.cards {
		served[strings.ToLower(c.ID)] = true
	}
	today := make(map[string][]string, len(k.in.Moved))
	for _, id := range slices.Sorted(maps.Keys(k.in.Moved)) {
		today[strings.ToLower(id)] = k.in.Moved[id]
	}
	for _, id := range slices.Sorted(maps.Keys(today)) {
		if served[id] {
			continue
		}
		var numbers []uint32
		for _, successor := range today[id] {
			if served[strings.ToLower(successor)] {
				numbers = append(numbers, k.texts.number(successor))
			}
		}
		if len(numbers) > 0 {
			k.moved = snapshot.AppendU32(k.moved, k.texts.number(id))
			k.moved = snapshot.AppendU32(k.moved, k.lists.place(numbers))
		}
	}
}

// identify names the catalog by what row numbers depend on and by its cards.
func (k *catalogPacker) identify() string {
	d := digest(Format)
	for _, r := range k.regions {
		d = d.text(r.String())
	}
	for _, c := range k.contents {
		d = d.add(c)
	}
	return strconv.FormatUint(d.add(uint64(len(k.contents))).sum(), 16)
}

func (k *catalogPacker) blob() ([]byte, error) {
	w := snapshot.NewWriter(catalogKind, Format)
	meta, err := json.Marshal(k.meta())
	if err != nil {
		return nil, fmt.Errorf("write section %q: %w", secMeta, err)
	}
	w.Add(secMeta, meta)
	if err := k.texts.table.AddTo(w, secStrings); err != nil {
		return nil, err
	}
	w.Add(secCards, k.records)
	w.Add(secOffers, k.offers)
	w.Add(secTexts, k.lists.data)
	w.Add(secLinks, k.links.data)
	w.Add(secIDs, k.ids.bytes())
	w.Add(secKeys, k.keys.bytes())
	w.Add(secMoved, k.moved)
	if err := k.search.AddTo(w); err != nil {
		return nil, err
	}
	return w.Bytes()
}

func (k *catalogPacker) meta() catalogMeta {
	m := catalogMeta{Identity: k.identity, Regions: codes(k.regions), Active: codes(k.in.Active),
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

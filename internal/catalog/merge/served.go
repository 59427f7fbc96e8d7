package merge

import (
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
)

// ServedBefore returns the products of the console store with which an id was served,
// and whether the id is retired: its products went to other cards after an override or
// a new merge version. It returns none for an id that every card may take.
type ServedBefore func(id string) (products []string, retired bool)

// MergeServed is Merge for a catalog that was served before. A card does not take an
// id whose served listings are mostly in other cards now: it takes the next counter.
// MergeServed returns the ids that were refused for this reason, sorted.
func MergeServed(entries []catalog.Entry, overrides override.Set, before ServedBefore) (groups []Group, refused []string) {
	m := newMerger(entries, overrides, hashGameID)
	m.before = before
	groups = m.merge()
	slices.Sort(m.refused)
	return groups, slices.Compact(m.refused)
}

// refuses reports whether a card may not take an id.
func (m *merger) refuses(c *card, id string) bool {
	if m.before == nil {
		return false
	}
	products, retired := m.before(id)
	if len(products) == 0 {
		return false
	}
	if m.onSale == nil {
		m.onSale = map[string]uint32{}
		for i := range m.products {
			if p := &m.products[i]; p.platform != catalog.PCStore {
				m.onSale[p.id] += p.live
			}
		}
	}
	var all, here uint32
	for _, id := range products {
		all += m.onSale[id]
	}
	for _, n := range c.products {
		if p := &m.products[n]; slices.Contains(products, p.id) {
			here += p.live
		}
	}
	// A retired id stays retired while nothing of it is on sale.
	if all-here <= here && (here > 0 || !retired) {
		return false
	}
	m.refused = append(m.refused, id)
	return true
}

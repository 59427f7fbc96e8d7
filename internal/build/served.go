package build

import (
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
)

// ServedIDs remembers which products every served id held, so that an id that
// vanished can name the ids that hold them now.
type ServedIDs interface {
	// Served calls fn for everything that was remembered, in any order.
	Served(ctx context.Context, fn func(catalog.Served) error) error
	// Remember adds to it; what is known already may be given again.
	Remember(ctx context.Context, more []catalog.Served) error
}

// served is what ServedIDs knows, as the builder holds it, read once.
type served struct {
	read  bool
	known map[catalog.Served]bool
	ids   map[string][]place
}

type place struct {
	platform catalog.Platform
	product  string
}

func newServed() *served {
	return &served{known: map[catalog.Served]bool{}, ids: map[string][]place{}}
}

func (s *served) add(one catalog.Served) {
	if s.known[one] {
		return
	}
	s.known[one] = true
	s.ids[one.ID] = append(s.ids[one.ID], place{one.Platform, one.Product})
}

// update remembers what the cards hold and returns, for each id that is served
// no longer, the ids that its products are served under now.
func (s *served) update(ctx context.Context, ids ServedIDs, cards []catalog.Card, entries []catalog.Entry) (map[string][]string, error) {
	if !s.read {
		if err := ids.Served(ctx, func(one catalog.Served) error { s.add(one); return nil }); err != nil {
			return nil, fmt.Errorf("read served ids: %w", err)
		}
		s.read = true
	}
	holders := map[place][]string{}
	present := make(map[string]bool, len(cards))
	var more []catalog.Served
	for i := range cards {
		c := &cards[i]
		present[c.ID] = true
		for _, product := range productsOf(c, entries) {
			at := place{c.Platform, product}
			holders[at] = append(holders[at], c.ID)
			if one := (catalog.Served{ID: c.ID, Platform: c.Platform, Product: product}); !s.known[one] {
				more = append(more, one)
			}
		}
	}
	if err := ids.Remember(ctx, more); err != nil {
		return nil, fmt.Errorf("remember served ids: %w", err)
	}
	for _, one := range more {
		s.add(one)
	}
	return s.moved(present, holders), nil
}

func (s *served) moved(present map[string]bool, holders map[place][]string) map[string][]string {
	moved := map[string][]string{}
	for id, held := range s.ids {
		if present[id] {
			continue
		}
		var now []string
		for _, at := range held {
			now = append(now, holders[at]...)
		}
		if len(now) > 0 {
			slices.Sort(now)
			moved[id] = slices.Compact(now)
		}
	}
	return moved
}

// productsOf lists the distinct products of a card, sorted.
func productsOf(c *catalog.Card, entries []catalog.Entry) []string {
	var ids []string
	for _, row := range c.Rows {
		ids = append(ids, entries[row].Product)
	}
	for i := range c.Offers {
		ids = append(ids, c.Offers[i].ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

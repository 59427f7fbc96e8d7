package builder

import (
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
)

// ServedIDs stores the products that every served id had, so that a vanished id can
// lead to the ids that have them now.
type ServedIDs interface {
	// Served calls fn for every stored product of an id, in any order.
	Served(ctx context.Context, fn func(catalog.Served) error) error
	// Remember stores more; known ones may repeat. The product "" marks a retired id.
	Remember(ctx context.Context, more []catalog.Served) error
}

// servedIDs is the builder's copy of ServedIDs, which it reads once.
type servedIDs struct {
	read  bool
	known map[catalog.Served]bool
	ids   map[string][]catalog.Key // without regions
}

func newServedIDs() servedIDs {
	return servedIDs{known: map[catalog.Served]bool{}, ids: map[string][]catalog.Key{}}
}

// load reads what is stored, once.
func (s *servedIDs) load(ctx context.Context, ids ServedIDs) error {
	if s.read {
		return nil
	}
	if err := ids.Served(ctx, func(one catalog.Served) error { s.remember(one); return nil }); err != nil {
		return fmt.Errorf("read served ids: %w", err)
	}
	s.read = true
	return nil
}

// before returns what Merge may not give to another card: the products of retired
// ids or, after an override or a new merge version, of all ids.
func (s *servedIDs) before(regrouped bool) merge.ServedBefore {
	return func(id string) (products []string, retired bool) {
		retired = s.known[retirement(id)]
		if !retired && !regrouped {
			return nil, false
		}
		for _, at := range s.ids[id] {
			if at.Platform == catalog.ConsoleStore {
				products = append(products, at.Product)
			}
		}
		return products, retired
	}
}

// retire stores that ids may not be taken by other cards from now on.
func (s *servedIDs) retire(ctx context.Context, ids ServedIDs, refused []string) error {
	var more []catalog.Served
	for _, id := range refused {
		if one := retirement(id); !s.known[one] {
			more = append(more, one)
		}
	}
	if err := s.store(ctx, ids, more); err != nil {
		return fmt.Errorf("retire ids: %w", err)
	}
	return nil
}

// retirement is what is stored of a retired id, which went to other cards after an
// override or a new merge version.
func retirement(id string) catalog.Served {
	return catalog.Served{ID: id, Platform: catalog.ConsoleStore}
}

func (s *servedIDs) remember(one catalog.Served) {
	if s.known[one] {
		return
	}
	s.known[one] = true
	if one.Product != "" {
		s.ids[one.ID] = append(s.ids[one.ID], catalog.Key{Platform: one.Platform, Product: one.Product})
	}
}

// store stores and remembers more.
func (s *servedIDs) store(ctx context.Context, ids ServedIDs, more []catalog.Served) error {
	if err := ids.Remember(ctx, more); err != nil {
		return err
	}
	for _, one := range more {
		s.remember(one)
	}
	return nil
}

// update stores the products of the cards. It needs load. For each id that is no
// longer served, it returns the ids that have its products now, none if no card has.
func (s *servedIDs) update(ctx context.Context, ids ServedIDs, cards []catalog.Card, entries []catalog.Entry) (map[string][]string, error) {
	holders := map[catalog.Key][]string{}
	present := make(map[string]bool, len(cards))
	var more []catalog.Served
	for i := range cards {
		c := &cards[i]
		present[c.ID] = true
		var products []string
		for _, row := range c.Rows {
			products = append(products, entries[row].Product)
		}
		for i := range c.Offers {
			products = append(products, c.Offers[i].ID)
		}
		slices.Sort(products)
		for _, product := range slices.Compact(products) {
			at := catalog.Key{Platform: c.Platform, Product: product}
			holders[at] = append(holders[at], c.ID)
			if one := (catalog.Served{ID: c.ID, Platform: c.Platform, Product: product}); !s.known[one] {
				more = append(more, one)
			}
		}
	}
	if err := s.store(ctx, ids, more); err != nil {
		return nil, fmt.Errorf("remember served ids: %w", err)
	}
	moved := map[string][]string{}
	for id, held := range s.ids {
		if present[id] {
			continue
		}
		var now []string
		for _, at := range held {
			now = append(now, holders[at]...)
		}
		slices.Sort(now)
		moved[id] = slices.Compact(now)
	}
	return moved, nil
}

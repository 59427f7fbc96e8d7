package storesim

import (
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// Shown is what the world showed of a product in a region for a period.
type Shown struct {
	From, To time.Time      // zero for the current one
	Listed   bool           // false: the product was not listed
	Price    *catalog.Price // nil: listed, but not for sale
	// OnlyInLists reports whether everybody's price is in lists only, while the product's
	// own page shows the sum of two offers.
	OnlyInLists bool
}

// Covers reports whether p is a correct reading of this showing: the price, or
// as much of it as a list shows, texts without numbers or without the
// crossed-out price. Doubts are ignored: they depend on other regions. Where only lists
// show the price, the base price is a correct reading of the other pages, if doubtful.
func (s Shown) Covers(p *catalog.Price) bool {
	if !s.Listed || (p == nil) != (s.Price == nil) {
		return false
	}
	if p == nil {
		return true
	}
	fits := func(a, shown money.Amount) bool { return !a.Known() || a == shown }
	if s.OnlyInLists && p.Source == catalog.SourceDoubtful && p.Currency == s.Price.Currency && !p.Trial && !p.Subscription &&
		p.BaseText == s.Price.BaseText && p.CurrentText == p.BaseText && p.Current == p.Base {
		return true
	}
	return p.Currency == s.Price.Currency && fits(p.Base, s.Price.Base) && fits(p.Current, s.Price.Current) &&
		p.BaseText == s.Price.BaseText && p.CurrentText == s.Price.CurrentText &&
		p.Trial == s.Price.Trial && p.Subscription == s.Price.Subscription
}

// History returns everything that the world has shown of a product in a region,
// by the wall clock, oldest first and without gaps since the world was made.
// Neighbours differ. It returns nil for an unknown product or region.
func (w *World) History(k catalog.Key) []Shown {
	w.mu.RLock()
	defer w.mu.RUnlock()
	m := w.market(k.Region)
	if m == nil {
		return nil
	}
	var past []Shown
	for day, began := range w.days {
		s, known := w.shownOn(k, m, day)
		if !known {
			return nil
		}
		s.From = began
		if n := len(past); n > 0 {
			if same(past[n-1], s) {
				continue
			}
			past[n-1].To = began
		}
		past = append(past, s)
	}
	return past
}

func (w *World) shownOn(k catalog.Key, m *market, day int) (s Shown, known bool) {
	switch k.Platform {
	case catalog.ConsoleStore:
		game, slot, ok := w.productOf(k.Product)
		p := consoleProduct{}
		if ok {
			p = w.product(game, slot, m, day)
		}
		if !ok || p.id != k.Product {
			return s, false
		}
		if w.inStore(game, slot, m, day) {
			s = Shown{Listed: true, Price: p.truePrice(w), OnlyInLists: p.onlyInLists() && p.form == formSum}
		}
	case catalog.PCStore:
		game, slot, ok := w.offerOf(k.Product)
		if !ok {
			return s, false
		}
		if w.pcShown(game, slot, m, day) {
			o := w.offer(game, slot, m, day)
			s = Shown{Listed: true, Price: o.truePrice(w)}
		}
	default:
		return s, false
	}
	return s, true
}

func same(a, b Shown) bool {
	if a.Listed != b.Listed || a.OnlyInLists != b.OnlyInLists || (a.Price == nil) != (b.Price == nil) {
		return false
	}
	return a.Price == nil || *a.Price == *b.Price
}

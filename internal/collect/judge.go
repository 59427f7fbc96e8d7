package collect

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/sweep"
)

// judge marks the prices of a step that are too far from those of the same
// product in other regions. It also adds to s.Doubts the stored prices of other
// regions that the prices of the step prove doubtful or correct. It does not judge
// a text without a number.
func (r *run) judge(ctx context.Context, s *sweep.Step) error {
	if r.cfg.Rates == nil {
		return nil
	}
	var products []string // whose prices can be compared
	for i := range s.Parts {
		if price := s.Parts[i].Price; price != nil && price.Current > 0 && !price.Trial && !price.Subscription {
			products = append(products, s.Parts[i].Product)
		}
	}
	if len(products) == 0 {
		return nil
	}
	slices.Sort(products)
	products = slices.Compact(products)
	rates, err := r.cfg.Rates(ctx)
	if err != nil {
		return fmt.Errorf("read rates to compare prices: %w", err)
	}
	if rates.IsZero() {
		return nil
	}
	known, err := r.regionPrices(ctx, products)
	if err != nil {
		return err
	}
	for i := range s.Parts {
		p := &s.Parts[i]
		if p.Price == nil {
			continue
		}
		if Doubtful(*p.Price, otherRegions(known[p.Product], p.Region), rates) {
			price := *p.Price // do not change the connector's copy
			price.Source = catalog.SourceDoubtful
			p.Price = &price
		}
	}
	s.Doubts = doubts(s.Parts, known, rates)
	return nil
}

// doubts returns the stored prices of other regions whose judgement changes when
// they are compared with the prices of the parts. A doubtful price that was not far from
// the others before is doubtful for another reason, and stays so.
func doubts(parts []sweep.Part, known map[string][]sweep.RegionPrice, rates money.Rates) []sweep.Doubt {
	before := maps.Clone(known)
	read := make(map[catalog.Key]bool, len(parts))
	for i := range parts {
		p := &parts[i]
		read[p.Key] = true
		if p.Price == nil || known[p.Product] == nil {
			continue
		}
		all := slices.DeleteFunc(slices.Clone(known[p.Product]), func(e sweep.RegionPrice) bool { return e.Region == p.Region })
		known[p.Product] = append(all, sweep.RegionPrice{Region: p.Region, Product: p.Product, Price: *p.Price})
	}
	var list []sweep.Doubt
	for _, product := range slices.Sorted(maps.Keys(known)) {
		for _, e := range known[product] {
			key := catalog.Key{Platform: parts[0].Platform, Region: e.Region, Product: product}
			doubtful := Doubtful(e.Price, otherRegions(known[product], e.Region), rates)
			isNews := !read[key] && doubtful != (e.Price.Source == catalog.SourceDoubtful)
			if isNews && (doubtful || textsAgree(e.Price) && Doubtful(e.Price, otherRegions(before[product], e.Region), rates)) {
				list = append(list, sweep.Doubt{Key: key, Doubtful: doubtful})
			}
		}
	}
	return list
}

// textsAgree reports whether the numbers of a price agree with its texts, so that
// only a comparison with other regions can make it doubtful.
func textsAgree(p catalog.Price) bool {
	return p.Base.Known() && p.Current.Known() && money.Agrees(p.Base, p.BaseText) && money.Agrees(p.Current, p.CurrentText)
}

// regionPrices returns the stored prices of products in all regions.
func (r *run) regionPrices(ctx context.Context, products []string) (map[string][]sweep.RegionPrice, error) {
	found := make(map[string][]sweep.RegionPrice, len(products))
	for some := range slices.Chunk(products, pricesAtOnce) {
		prices, err := r.cfg.Prices.RegionPrices(ctx, r.job.Scope.Platform, some)
		if err != nil {
			return nil, err
		}
		for _, p := range prices {
			found[p.Product] = append(found[p.Product], p)
		}
	}
	return found, nil
}

func otherRegions(prices []sweep.RegionPrice, own catalog.Region) []catalog.Price {
	var others []catalog.Price
	for _, p := range prices {
		if p.Region != own {
			others = append(others, p.Price)
		}
	}
	return others
}

const (
	doubtfulFactor = 20 // above or below the median
	fewestPrices   = 3  // needed for a median
)

// Doubtful reports whether a price is so far from what the same product costs in
// other regions that one of its digits must be wrong: its value in USD is more
// than 20 times the median, or less than a twentieth of it. The comparison needs
// three other prices. It ignores prices of trials and of subscribers, zeros and
// prices without a rate; it judges doubtful prices but does not compare with them.
func Doubtful(p catalog.Price, elsewhere []catalog.Price, rates money.Rates) bool {
	own, ok := dollars(p, rates)
	if !ok {
		return false
	}
	var others []float64
	for _, e := range elsewhere {
		if value, ok := dollars(e, rates); ok {
			others = append(others, value)
		}
	}
	if len(others) < fewestPrices {
		return false
	}
	slices.Sort(others)
	half := len(others) / 2
	m := others[half]
	if len(others)%2 == 0 {
		m = (others[half-1] + others[half]) / 2
	}
	return own > m*doubtfulFactor || own*doubtfulFactor < m
}

// dollars returns a price's value in US cents, if it can be compared with others.
func dollars(p catalog.Price, rates money.Rates) (cents float64, ok bool) {
	if p.Trial || p.Subscription || p.Current <= 0 {
		return 0, false
	}
	n, ok := rates.USD(p.Currency).Cents(p.Current)
	return float64(n), ok
}

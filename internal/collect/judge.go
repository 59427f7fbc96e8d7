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
// product in other regions. What the step brings may also show that a price
// stored for another region is: that one is named. A text without a number is
// not judged.
func (r *run) judge(ctx context.Context, s *sweep.Step) error {
	if r.cfg.Rates == nil {
		return nil
	}
	products := judged(s.Parts)
	if len(products) == 0 {
		return nil
	}
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
			price := *p.Price // the connector's own stays as it is
			price.Source = catalog.SourceDoubtful
			p.Price = &price
		}
	}
	s.Doubts = doubts(s.Parts, known, rates)
	return nil
}

// doubts judges the stored prices of other regions anew beside those of the
// parts.
func doubts(parts []sweep.Part, known map[string][]sweep.RegionPrice, rates money.Rates) []sweep.Doubt {
	read := make(map[catalog.Key]bool, len(parts))
	for i := range parts {
		p := &parts[i]
		read[p.Key] = true
		if p.Price == nil || known[p.Product] == nil {
			continue
		}
		all := slices.DeleteFunc(known[p.Product], func(e sweep.RegionPrice) bool { return e.Region == p.Region })
		known[p.Product] = append(all, sweep.RegionPrice{Region: p.Region, Product: p.Product, Price: *p.Price})
	}
	var list []sweep.Doubt
	for _, product := range slices.Sorted(maps.Keys(known)) {
		for _, e := range known[product] {
			key := catalog.Key{Platform: parts[0].Platform, Region: e.Region, Product: product}
			doubtful := Doubtful(e.Price, otherRegions(known[product], e.Region), rates)
			if !read[key] && doubtful != (e.Price.Source == catalog.SourceDoubtful) && (doubtful || textsAgree(e.Price)) {
				list = append(list, sweep.Doubt{Key: key, Doubtful: doubtful})
			}
		}
	}
	return list
}

// textsAgree reports whether the numbers of a price agree with its texts, so that
// only other regions can give a reason for doubt.
func textsAgree(p catalog.Price) bool {
	return p.Base.Known() && p.Current.Known() && money.Agrees(p.Base, p.BaseText) && money.Agrees(p.Current, p.CurrentText)
}

// judged are the products whose prices can be compared.
func judged(parts []sweep.Part) []string {
	var products []string
	for i := range parts {
		if price := parts[i].Price; price != nil && price.Current > 0 && !price.Trial && !price.Subscription {
			products = append(products, parts[i].Product)
		}
	}
	slices.Sort(products)
	return slices.Compact(products)
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

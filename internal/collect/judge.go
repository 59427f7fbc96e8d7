package collect

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/money"
	"gamedex/internal/sweep"
)

// rules returns the rules by which a batch is stored.
func (r *run) rules(ctx context.Context, s *sweep.Batch) (sweep.Rules, error) {
	now := r.millis()
	rules := sweep.Rules{Check: func(l *catalog.Listing) error { return feed.Check(l, now) }}
	var products []string // whose prices can be compared
	for i := range s.Parts {
		if price := s.Parts[i].Price; price != nil && price.Current > 0 && !price.Trial && !price.Subscription {
			products = append(products, s.Parts[i].Product)
		}
	}
	if len(products) == 0 {
		return rules, nil
	}
	rates, err := r.cfg.Rates(ctx)
	if err != nil {
		return sweep.Rules{}, fmt.Errorf("read rates to compare prices: %w", err)
	}
	if rates.IsZero() {
		return rules, nil
	}
	slices.Sort(products)
	rules.Products = slices.Compact(products)
	rules.Judge = func(parts []sweep.Part, stored []sweep.RegionPrice) ([]sweep.Part, []sweep.Doubt) {
		return judge(parts, stored, rates)
	}
	return rules, nil
}

// judge returns the parts, with those prices marked that are too far from the prices of
// the same product in other regions. It does not judge a text without a number. It
// also returns the stored prices of other regions whose judgement changes when they
// are compared with the prices of the parts. A doubtful price that was not far from
// the others before is doubtful for another reason, and stays so.
func judge(parts []sweep.Part, stored []sweep.RegionPrice, rates money.Rates) ([]sweep.Part, []sweep.Doubt) {
	before := make(map[string][]sweep.RegionPrice) // by product
	for _, p := range stored {
		before[p.Product] = append(before[p.Product], p)
	}
	after := maps.Clone(before)
	read := make(map[catalog.Key]bool, len(parts))
	for i := range parts {
		p := &parts[i]
		read[p.Key] = true
		if p.Price != nil {
			others := slices.DeleteFunc(slices.Clone(after[p.Product]), func(e sweep.RegionPrice) bool { return e.Region == p.Region })
			after[p.Product] = append(others, sweep.RegionPrice{Region: p.Region, Product: p.Product, Price: *p.Price})
		}
	}
	judged := slices.Clone(parts)
	for i := range judged {
		p := &judged[i]
		if p.Price != nil && Doubtful(*p.Price, otherRegions(after[p.Product], p.Region), rates) {
			price := *p.Price // do not change the connector's copy
			price.Source = catalog.SourceDoubtful
			p.Price = &price
		}
	}
	var doubts []sweep.Doubt
	for _, product := range slices.Sorted(maps.Keys(before)) {
		for _, e := range before[product] {
			key := catalog.Key{Platform: parts[0].Platform, Region: e.Region, Product: product}
			doubtful := Doubtful(e.Price, otherRegions(after[product], e.Region), rates)
			isNews := !read[key] && doubtful != (e.Price.Source == catalog.SourceDoubtful)
			if isNews && (doubtful || textsAgree(e.Price) && Doubtful(e.Price, otherRegions(before[product], e.Region), rates)) {
				doubts = append(doubts, sweep.Doubt{Key: key, Doubtful: doubtful})
			}
		}
	}
	return judged, doubts
}

// textsAgree reports whether the numbers of a price agree with its texts, so that
// only a comparison with other regions can make it doubtful.
func textsAgree(p catalog.Price) bool {
	return p.Base.Known() && p.Current.Known() && p.Currency.Agrees(p.Base, p.BaseText) && p.Currency.Agrees(p.Current, p.CurrentText)
}

// otherRegions returns the prices of all regions but one.
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
// prices without a rate. Doubtful prices are judged and compared like others.
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
	m := (others[(len(others)-1)/2] + others[len(others)/2]) / 2
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

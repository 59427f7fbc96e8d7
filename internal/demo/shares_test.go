package demo_test

import (
	"fmt"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/demo"
	"gamedex/internal/history"
)

// TestShares checks that the sample looks like a store on an ordinary day: a fifth of the
// prices are reduced, a third of those are as low as never before, and no region is the
// cheapest for more than half of the products.
func TestShares(t *testing.T) {
	rates, err := demo.Rates(now)
	if err != nil {
		t.Fatal(err)
	}
	present := map[catalog.Key]catalog.Listing{}
	priced, reduced, low := map[string]int{}, map[string]int{}, map[string]int{}
	cheapest := map[string]catalog.Listing{} // by platform and name
	for _, l := range listings(t) {
		present[l.Key] = l
		if l.Price == nil || l.Price.Current <= 0 || l.Price.Subscription {
			continue
		}
		region := l.Region.String()
		priced[region]++
		if l.Price.Current < l.Price.Base {
			reduced[region]++
		}
		cents := func(l catalog.Listing) int64 {
			c, _ := rates.USD(l.Price.Currency).Cents(l.Price.Current)
			return c
		}
		name := l.Platform.String() + l.Facts.InvariantName
		if best, ok := cheapest[name]; !ok || cents(l) < cents(best) {
			cheapest[name] = l
		}
	}
	for series := range open(t).Past(now) {
		l := present[series.Key]
		if l.Price.Current >= l.Price.Base || l.Price.Subscription {
			continue
		}
		all, _ := history.Prepend([]history.Step{history.StepOf(l.ObservedAt, l.Price)}, series.Steps)
		if history.Summarize(all, 0, now).Meets == history.AllTime {
			low[l.Region.String()]++
		}
	}
	wins := map[string]int{}
	for _, l := range cheapest {
		wins[l.Region.String()]++
	}
	for region, n := range priced {
		if share := reduced[region] * 100 / n; share < 15 || share > 25 {
			t.Errorf("%s: %d %% of the prices are reduced, want 15 to 25", region, share)
		}
		if share := low[region] * 100 / reduced[region]; share < 25 || share > 45 {
			t.Errorf("%s: %d %% of the reduced prices are an all-time low, want 25 to 45", region, share)
		}
		if share := wins[region] * 100 / len(cheapest); share > 50 {
			t.Errorf("%s: the cheapest for %d %% of the products, want 50 at most", region, share)
		}
	}
	t.Log(fmt.Sprint(priced, reduced, low, wins, len(cheapest)))
}

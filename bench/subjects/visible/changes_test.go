package visible

import (
	"math/rand/v2"
	"testing"

	"gamedex/bench/sample"
	"gamedex/internal/catalog"
)

const cards, regions = 2_000, 5

// before are the listings that changes are made of.
func before() (*sample.Sample, map[catalog.Key]catalog.Listing) {
	s, all := sample.New(3, cards), map[catalog.Key]catalog.Listing{}
	for l := range s.Listings(regions) {
		all[l.Key] = *l
	}
	return s, all
}

// repriced counts listings with another price, and fails for what changed
// beside prices and times.
func repriced(t *testing.T, all map[catalog.Key]catalog.Listing, changed []catalog.Listing) int {
	t.Helper()
	n, known := 0, map[catalog.Key]bool{}
	for _, l := range changed {
		was, ok := all[l.Key]
		if !ok || known[l.Key] {
			t.Fatalf("%s in %s is not in the sample, or twice in the changes", l.Product, l.Region)
		}
		known[l.Key] = true
		if l.ObservedAt <= was.ObservedAt || l.Facts.Title != was.Facts.Title {
			t.Errorf("%s in %s is no later sight of the same", l.Product, l.Region)
		}
		if l.Price != nil && l.Price.Current != was.Price.Current {
			n++
		}
	}
	return n
}

func TestASweepIsARegion(t *testing.T) {
	s, all := before()
	c := &changes{sample: s, regions: regions, at: sample.Observed(), rng: rand.New(rand.NewPCG(1, 1))}
	for round, region := range append(sample.Codes(regions), sample.Codes(1)...) {
		changed := c.sweep(round)
		if len(changed) != cards {
			t.Errorf("round %d sees %d of %d cards", round, len(changed), cards)
		}
		for _, l := range changed {
			if l.Region != region {
				t.Fatalf("round %d sees %s, want %s alone", round, l.Region, region)
			}
		}
		if n := repriced(t, all, changed); n < cards*7/100 || n > cards*13/100 {
			t.Errorf("round %d: %d of %d repriced, want a tenth", round, n, cards)
		}
	}
}

func TestAShareIsAHundredth(t *testing.T) {
	s, all := before()
	c := &changes{sample: s, regions: regions, at: sample.Observed(), rng: rand.New(rand.NewPCG(1, 1))}
	first, second := c.share(), c.share()
	for _, changed := range [][]catalog.Listing{first, second} {
		if n := len(changed); n < cards*regions/150 || n > cards*regions/70 {
			t.Errorf("%d of %d listings", n, cards*regions)
		}
		if n := repriced(t, all, changed); n < len(changed)*9/10 {
			t.Errorf("only %d of %d are repriced", n, len(changed))
		}
	}
	if first[0].ObservedAt >= second[0].ObservedAt {
		t.Error("the second time is not later")
	}
}

package subjects

import (
	"math/rand/v2"
	"testing"

	"gamedex/bench/sample"
	"gamedex/internal/catalog"
)

const changeCards, changeRegions = 2_000, 5

// unchanged returns a sample and its listings.
func unchanged() (*sample.Sample, map[catalog.Key]catalog.Listing) {
	s, all := sample.New(3, changeCards), map[catalog.Key]catalog.Listing{}
	for l := range s.Listings(changeRegions) {
		all[l.Key] = *l
	}
	return s, all
}

// countRepriced counts listings with another price. Nothing else but times may
// differ.
func countRepriced(t *testing.T, all map[catalog.Key]catalog.Listing, changed []catalog.Listing) int {
	t.Helper()
	n, known := 0, map[catalog.Key]bool{}
	for _, l := range changed {
		was, ok := all[l.Key]
		if !ok || known[l.Key] {
			t.Fatalf("%s in %s is not in the sample, or twice in the changes", l.Product, l.Region)
		}
		known[l.Key] = true
		if l.ObservedAt <= was.ObservedAt || l.Facts.Title != was.Facts.Title {
			t.Errorf("%s in %s is not the same listing seen later", l.Product, l.Region)
		}
		if l.Price != nil && l.Price.Current != was.Price.Current {
			n++
		}
	}
	return n
}

func TestSweepChangesARegion(t *testing.T) {
	s, all := unchanged()
	c := &priceChanges{sample: s, regions: changeRegions, at: sample.Observed(), rng: rand.New(rand.NewPCG(1, 1))}
	for round, region := range append(sample.Codes(changeRegions), sample.Codes(1)...) {
		changed := c.sweep(round)
		if len(changed) != changeCards {
			t.Errorf("round %d sees %d of %d cards", round, len(changed), changeCards)
		}
		for _, l := range changed {
			if l.Region != region {
				t.Fatalf("round %d sees %s, want %s alone", round, l.Region, region)
			}
		}
		if n := countRepriced(t, all, changed); n < changeCards*7/100 || n > changeCards*13/100 {
			t.Errorf("round %d: %d of %d repriced, want a tenth", round, n, changeCards)
		}
	}
}

func TestShareChangesAHundredth(t *testing.T) {
	s, all := unchanged()
	c := &priceChanges{sample: s, regions: changeRegions, at: sample.Observed(), rng: rand.New(rand.NewPCG(1, 1))}
	first, second := c.share(), c.share()
	for _, changed := range [][]catalog.Listing{first, second} {
		if n := len(changed); n < changeCards*changeRegions/150 || n > changeCards*changeRegions/70 {
			t.Errorf("%d of %d listings", n, changeCards*changeRegions)
		}
		if n := countRepriced(t, all, changed); n < len(changed)*9/10 {
			t.Errorf("only %d of %d are repriced", n, len(changed))
		}
	}
	if first[0].ObservedAt >= second[0].ObservedAt {
		t.Error("the second time is not later")
	}
}

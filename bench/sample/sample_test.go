package sample_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/bench/sample"
	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

func TestTheSameSeedGivesTheSameFeed(t *testing.T) {
	var feeds [3]bytes.Buffer
	for i, seed := range []uint64{1, 1, 2} {
		if err := sample.New(seed, 500).WriteFeed(&feeds[i], 4); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(feeds[0].Bytes(), feeds[1].Bytes()) {
		t.Error("two feeds of one seed differ")
	}
	if bytes.Equal(feeds[0].Bytes(), feeds[2].Bytes()) {
		t.Error("two seeds give one feed")
	}
	if n := bytes.Count(feeds[0].Bytes(), []byte("\n")); n != 500*4 {
		t.Errorf("%d lines of 500 products in 4 regions", n)
	}
}

func TestProductsAreWhatTheDocumentationSays(t *testing.T) {
	s := sample.New(1, 100_000)
	ids, words, russian, pc := map[string]bool{}, map[string]bool{}, 0, 0
	for _, p := range s.Products {
		for _, key := range []string{p.ID, p.Slug} {
			if ids[key] {
				t.Fatalf("%s twice: two products would become one card", key)
			}
			ids[key] = key != ""
		}
		if p.Russian != "" {
			russian++
		}
		if p.Platform == catalog.PCStore {
			pc++
		}
		for w := range strings.FieldsSeq(strings.ToLower(p.Title + " " + p.Russian)) {
			words[w] = true
		}
	}
	if len(s.Products) != 100_000 {
		t.Errorf("%d products", len(s.Products))
	}
	if share := russian * 1000 / len(s.Products); share < 145 || share > 155 {
		t.Errorf("%d of a thousand have a Russian title", share)
	}
	if share := pc * 100 / len(s.Products); share < 4 || share > 11 {
		t.Errorf("%d %% are of the PC store", share)
	}
	if len(words) < 20_000 {
		t.Errorf("only %d different words", len(words))
	}
}

func TestRegionsAndRatesGoTogether(t *testing.T) {
	codes := sample.Codes(sample.MaxRegions)
	if len(codes) != sample.MaxRegions || codes[0].String() != "UA" {
		t.Fatalf("%d regions, %v first", len(codes), codes[0])
	}
	rates, err := money.ParseRates([]byte(sample.Rates))
	if err != nil {
		t.Fatal(err)
	}
	known := map[money.Currency]bool{rates.Base(): true}
	for _, c := range rates.Currencies() {
		known[c] = true
	}
	for l := range sample.New(1, 3).Listings(sample.MaxRegions) {
		if l.Price != nil && !known[l.Price.Currency] {
			t.Errorf("%s: no rate of %s", l.Region, l.Price.Currency)
		}
	}
}

// TestIDsOfGroupsOfRegions checks that ids differ between groups of regions, and that
// the listings of a product still share what makes them one card.
func TestIDsOfGroupsOfRegions(t *testing.T) {
	type card struct{ family, edition, invariant string }
	ids, begin := map[string]card{}, map[string]int{}
	regions := map[catalog.Key]bool{}
	for l := range sample.New(1, 40).Listings(sample.MaxRegions) {
		if regions[l.Key] {
			t.Fatalf("%s is listed twice in %s", l.Product, l.Region)
		}
		regions[l.Key] = true
		if l.Platform != catalog.ConsoleStore {
			continue
		}
		begin[l.Product[:2]]++
		is, rest := card{l.Facts.Family, l.Facts.Edition, l.Facts.InvariantName}, l.Product[2:]
		if was, known := ids[rest]; known && was != is {
			t.Errorf("%s is %v in one region and %v in another", rest, is, was)
		}
		ids[rest] = is
	}
	for _, want := range []string{"EP", "UP", "JP", "HP"} {
		if begin[want] == 0 {
			t.Errorf("no id begins with %s: %v", want, begin)
		}
	}
	if len(begin) != 4 {
		t.Errorf("ids begin with %v", begin)
	}
}

func TestListingsWereSeenAtTheirTimes(t *testing.T) {
	times := map[catalog.Millis]bool{}
	for l := range sample.New(1, 250).Listings(4) {
		if l.ObservedAt > sample.Observed() {
			t.Errorf("%s seen after the last", l.Product)
		}
		times[l.ObservedAt] = true
	}
	if len(times) != 3*4 {
		t.Errorf("%d different times for three pages in four regions", len(times))
	}
}

func TestSomeAreAsInAll(t *testing.T) {
	s := sample.New(1, 50)
	all := map[catalog.Key]catalog.Listing{}
	for l := range s.Listings(6) {
		all[l.Key] = *l
	}
	n := 0
	for l := range s.Some(6, func(product, region int) bool { return region == 5 || product == 7 }) {
		n++
		if diff := cmp.Diff(all[l.Key], *l); diff != "" {
			t.Errorf("%s in %s differs:\n%s", l.Product, l.Region, diff)
		}
	}
	if n != 50+5 {
		t.Errorf("%d listings, want %d", n, 50+5)
	}
}

func TestKindsOfPrices(t *testing.T) {
	all, discounted, text, free, none, subscription, local := 0, 0, 0, 0, 0, 0, 0
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	for l := range sample.New(1, 5_000).Listings(4) {
		all++
		p := l.Price
		if p == nil {
			none++
			continue
		}
		count(&discounted, p.DiscountPercent == 25)
		count(&text, !p.Current.Known() && p.CurrentText != "")
		count(&free, p.Base == 0)
		count(&subscription, p.Subscription)
		count(&local, p.BaseText != "" && p.CurrentText != "" && p.Current.Known())
	}
	for name, share := range map[string][2]float64{
		"discounted": {float64(discounted), 10}, "text alone": {float64(text), 2}, "free": {float64(free), 1}, "without a price": {float64(none), 1},
		"for subscribers": {float64(subscription), 1}, "local text": {float64(local), 1},
	} {
		if percent := share[0] * 100 / float64(all); percent < share[1]*0.8 || percent > share[1]*1.2 {
			t.Errorf("%s: %.2f %%, want about %v", name, percent, share[1])
		}
	}
}

package sample_test

import (
	"bytes"
	"strings"
	"testing"

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
	if share := russian * 100 / len(s.Products); share < 10 || share > 20 {
		t.Errorf("%d %% have a Russian title", share)
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

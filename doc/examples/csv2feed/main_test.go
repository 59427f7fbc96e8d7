package main

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
)

func TestConvert(t *testing.T) {
	in, err := os.Open("prices.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var out strings.Builder
	if err := convert(in, &out); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Region, Title string
		Price         *catalog.Price
	}
	want := []row{
		{"TR", "Example Game", &catalog.Price{Currency: "TRY", Base: 174900, Current: 87450, DiscountPercent: 50}},
		{"PL", "Example Game, the Return", &catalog.Price{Currency: "PLN", Base: 29900, Current: 29900, DiscountPercent: catalog.NoPercent}},
		{"TR", "Example Game", &catalog.Price{Currency: "TRY", Base: 60000, Current: 60000, DiscountPercent: catalog.NoPercent}},
		{"UA", "Example Game 2", nil},
	}
	var got []row
	for _, l := range listings(t, out.String()) {
		got = append(got, row{l.Region.String(), l.Facts.Title, l.Price})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// listings reads a feed in which every line is good.
func listings(t *testing.T, text string) (all []catalog.Listing) {
	r, err := feed.NewReader(strings.NewReader(text), func() time.Time {
		return time.Date(2026, 11, 20, 4, 0, 0, 0, time.UTC)
	})
	if err != nil {
		t.Fatal(err)
	}
	for {
		var l catalog.Listing
		if _, err := r.Next(&l); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
}

func TestConvertRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"product,base\nP1,free":      `base "free" is not a price with at most two decimals`,
		"product,current\nP1,12.345": `current "12.345" is not a price with at most two decimals`,
		"product,base\nP1":           "record on line 2: wrong number of fields",
	} {
		if err := convert(strings.NewReader(in), io.Discard); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
}

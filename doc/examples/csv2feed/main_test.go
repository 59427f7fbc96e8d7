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

// TestConvertSpreadsheets converts tables as spreadsheets save them, also in
// countries with a decimal comma: with a byte order mark and semicolons.
func TestConvertSpreadsheets(t *testing.T) {
	for in, want := range map[string]string{
		"\ufefftitle;current\r\n\"Sid; Meier\";19,99\r\n":       "title;current\n\"Sid; Meier\";1999\n",
		"title;titles.ru;base\nCeleste, again;Селеста;7,5\n":    "title;titles.ru;base\nCeleste, again;Селеста;750\n",
		"title\tCurrent\nCeleste\t0.09\nHades\t0\nDoom\t0,50\n": "title\tCurrent\nCeleste\t9\nHades\t0\nDoom\t50\n",
		"title,current\nCeleste,\"19,99\"\nHades,\n":            "title,current\nCeleste,1999\nHades,\n",
		"\ufeffsep=;\r\ntitle;current\r\nCeleste;19,99\r\n":     "title;current\nCeleste;1999\n",
		"sep=,\ntitle,current\nCeleste,19.99\n":                 "title,current\nCeleste,1999\n",
	} {
		var out strings.Builder
		if err := convert(strings.NewReader(in), &out); err != nil || out.String() != want {
			t.Errorf("%q: got %v, %q, want %q", in, err, out.String(), want)
		}
	}
}

// listings reads a table in which every row is good.
func listings(t *testing.T, text string) (all []catalog.Listing) {
	r, err := feed.NewTableReader(strings.NewReader(text), func() time.Time {
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
		"product,base\nP1,free":      `row 2: base "free" is not a price with at most two decimals`,
		"product,current\nP1,12.345": `row 2: current "12.345" is not a price with at most two decimals`,
		"product;current\nP1;1.299":  `row 2: current "1.299" is not a price with at most two decimals`,
		"product;current\nP1;1,299":  `row 2: current "1,299" is not a price with at most two decimals`,
		"product;current\nP1;1.500":  `row 2: current "1.500" is not a price with at most two decimals`,
		"product;current\nP1;1/2":    `row 2: current "1/2" is not a price with at most two decimals`,
		"product,base\nP1":           "record on line 2: wrong number of fields",
	} {
		if err := convert(strings.NewReader(in), io.Discard); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
}

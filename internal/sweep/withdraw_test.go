package sweep_test

import (
	"testing"

	"gamedex/internal/sweep"
)

func TestHeldBack(t *testing.T) {
	tests := []struct {
		name    string
		missing sweep.Missing
		force   bool
		want    int
	}{
		{"nothing is missing", sweep.Missing{KnownListings: 100, KnownItems: 100}, false, 0},
		{"nothing is known", sweep.Missing{}, false, 0},
		{"four missing in a small scope", sweep.Missing{Listings: 4, KnownListings: 4}, false, 0},
		{"five missing in a small scope", sweep.Missing{Listings: 5, KnownListings: 49}, false, 5},
		{"a tenth", sweep.Missing{Listings: 5, KnownListings: 50}, false, 0},
		{"one more than a tenth", sweep.Missing{Listings: 11, KnownListings: 109}, false, 11},
		{"everything missing in a large scope", sweep.Missing{Listings: 1000, KnownListings: 1000}, false, 1000},
		{"only items are too many", sweep.Missing{Listings: 1, KnownListings: 100, Items: 20, KnownItems: 100}, false, 20},
		{"too many of both", sweep.Missing{Listings: 30, KnownListings: 100, Items: 20, KnownItems: 100}, false, 30},
		{"a tenth of the prices", sweep.Missing{KnownListings: 100, Prices: 5, KnownPrices: 50}, false, 0},
		{"only prices are too many", sweep.Missing{Listings: 1, KnownListings: 100, Prices: 6, KnownPrices: 50}, false, 6},
		{"forced", sweep.Missing{Listings: 1000, KnownListings: 1000, Items: 9, KnownItems: 9, Prices: 9, KnownPrices: 9}, true, 0},
	}
	for _, tt := range tests {
		if got := tt.missing.HeldBack(tt.force); got != tt.want {
			t.Errorf("%s: %d held back, want %d", tt.name, got, tt.want)
		}
	}
}

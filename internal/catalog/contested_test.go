package catalog_test

import (
	"testing"

	"gamedex/internal/catalog"
	. "gamedex/internal/testing/catalogtest"
)

func TestMergeReadsObservedAt(t *testing.T) {
	listing := Console("TR", "A")
	otherProduct, otherPlatform := listing, listing
	otherProduct.Product, otherPlatform.Platform = "B", catalog.PCStore
	withdrawn := Console("TR", "A", Withdrawn())
	tests := []struct {
		name     string
		families []string // of the listings of A on the console store
		listing  catalog.Listing
		want     bool
	}{
		{"no listing", nil, listing, false},
		{"one family", []string{"1", "1"}, listing, false},
		{"two families", []string{"1", "2"}, listing, true},
		{"two families, then the first again", []string{"1", "2", "1"}, listing, true},
		{"no family", []string{"", ""}, listing, false},
		{"some without family", []string{"", "1", "", "1"}, listing, false},
		{"another product", []string{"1", "2"}, otherProduct, false},
		{"another platform", []string{"1", "2"}, otherPlatform, false},
		{"withdrawn", nil, withdrawn, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := catalog.ContestedFamilies{}
			for _, family := range tt.families {
				c.AddListing(catalog.ConsoleStore, "A", family)
			}
			if got := c.MergeReadsObservedAt(&tt.listing); got != tt.want {
				t.Errorf("%t, want %t", got, tt.want)
			}
		})
	}
}

package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
)

func TestActiveRegions(t *testing.T) {
	for _, c := range []struct{ chosen, listed, active, inactive string }{
		{"", "", "UA TR PL IN", ""},
		{"", "DE JP US", "DE JP US", ""},
		{"", "DE IN US", "UA TR PL IN", "DE US"},
		{"", "UA TR PL IN", "UA TR PL IN", ""},
		{"UA TR PL IN", "DE JP US", "UA TR PL IN", "DE JP US"},
		{"US DE", "DE JP US", "US DE", "JP"},
		{"US DE", "", "US DE", ""},
	} {
		listed := regionsOf(c.listed)
		active := catalog.ActiveRegions(regionsOf(c.chosen), listed)
		if inactive := catalog.InactiveRegions(active, listed); !slices.Equal(active, regionsOf(c.active)) || !slices.Equal(inactive, regionsOf(c.inactive)) {
			t.Errorf("chosen %q, listed %q: active %v, inactive %v; want %q and %q", c.chosen, c.listed, active, inactive, c.active, c.inactive)
		}
	}
}

func regionsOf(codes string) (list []catalog.Region) {
	for code := range strings.FieldsSeq(codes) {
		list = append(list, catalog.MustRegion(code))
	}
	return list
}

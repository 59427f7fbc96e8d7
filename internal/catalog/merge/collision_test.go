package merge

import (
	"fmt"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
)

// tinyHash has four ids for the first try, so that cards collide.
func tinyHash(tuple string, try uint32) string {
	if try == 0 {
		return fmt.Sprintf("ID%d", len(tuple)%4)
	}
	return fmt.Sprintf("ID%d-%d", len(tuple)%4, try)
}

// alone returns an entry that is the only one of its card. The length of the product
// id decides the length of the card's tuple, and so its hash.
func alone(product string, firstSeen catalog.Millis) catalog.Entry {
	return catalog.Entry{
		Platform: catalog.ConsoleStore, Region: catalog.MustRegion("US"), Product: product, FirstSeen: firstSeen, ObservedAt: 9,
		Facts: &catalog.Facts{Title: product, Type: catalog.Game},
	}
}

func TestCollidingIDs(t *testing.T) {
	tests := []struct {
		name    string
		entries []catalog.Entry
		want    map[string]string // by product; the digit is the hash
	}{
		{"the one first seen earlier keeps the id", []catalog.Entry{alone("AAAA", 2), alone("BBBB", 1), alone("CCCC", 3)},
			map[string]string{"BBBB": "ID", "AAAA": "ID-1", "CCCC": "ID-2"}},
		{"ties: whose tuple sorts first", []catalog.Entry{alone("BBBB", 1), alone("AAAA", 1)},
			map[string]string{"AAAA": "ID", "BBBB": "ID-1"}},
		{"ties, the other way round", []catalog.Entry{alone("AAAA", 1), alone("BBBB", 1)},
			map[string]string{"AAAA": "ID", "BBBB": "ID-1"}},
		{"a withdrawn card takes no id", []catalog.Entry{withdrawn(alone("AAAA", 1)), alone("BBBB", 2)},
			map[string]string{"BBBB": "ID"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := map[string]string{}
			for _, g := range newMerger(tt.entries, override.Set{}, tinyHash).merge() {
				got[tt.entries[g.Entries[0]].Product] = g.ID[:2] + g.ID[3:]
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("ids = %v, want %v", got, tt.want)
			}
		})
	}
}

func withdrawn(e catalog.Entry) catalog.Entry {
	e.Withdrawn = true
	return e
}

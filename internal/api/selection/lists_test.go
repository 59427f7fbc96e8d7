package selection

import (
	"fmt"
	"testing"
)

// Nearly all lists that are sent again and again stay, although their hashes are random: 16 of them in
// 64 places, 50 times.
func TestListsStay(t *testing.T) {
	lost := 0
	for range 50 {
		l := NewLists(64 * listSize)
		for range 3 {
			for i := range 16 {
				if text := fmt.Sprintf(`["%d"]`, i); l.Find(text) == nil {
					l.Keep(text, nil, nil)
				}
			}
		}
		for i := range 16 {
			if l.Find(fmt.Sprintf(`["%d"]`, i)) == nil {
				lost++
			}
		}
	}
	// With one place for a hash, it is about 100 of 800. Now one or two are lost, because a group is full
	// or two lists are asked for in turn and have the same hash there.
	if lost > 20 {
		t.Errorf("%d of 800 lists are not found", lost)
	}
}

// Lists are bounded: the newest list is always found, and never more than there is room for.
func TestListsAreBounded(t *testing.T) {
	for _, places := range []int64{1, 3, 8, 21} {
		l := NewLists(places * listSize)
		for i := range 200 {
			text := fmt.Sprintf(`["%d"]`, i)
			if l.Keep(text, nil, nil) != nil {
				t.Fatalf("%d places: list %d was kept when it was sent for the first time", places, i)
			}
			if l.Keep(text, nil, nil) == nil || l.Find(text) == nil {
				t.Fatalf("%d places: list %d is not found after it was sent twice", places, i)
			}
		}
		found := 0
		for i := range 200 {
			if l.Find(fmt.Sprintf(`["%d"]`, i)) != nil {
				found++
			}
		}
		if found != int(places) {
			t.Errorf("%d places: %d lists are found, want all places used and no more", places, found)
		}
	}
}

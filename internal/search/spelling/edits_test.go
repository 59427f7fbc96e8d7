package spelling

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRemainders checks that words within two edits have a remainder in common.
func TestRemainders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := []rune(rapid.StringMatching(`[a-d]{8,10}`).Draw(t, "word"))
		term := slices.Clone(word)
		for range 2 {
			switch at := rapid.IntRange(1, len(term)-1).Draw(t, "at"); rapid.IntRange(0, 3).Draw(t, "edit") {
			case 0:
				term = slices.Delete(term, at, at+1)
			case 1:
				term = slices.Insert(term, at, 'x')
			case 2:
				term[at] = 'y'
			case 3:
				term[at-1], term[at] = term[at], term[at-1]
			}
		}
		left := map[uint32]bool{}
		EachTermRemainder(string(term), func(hash uint32) { left[hash] = true })
		common := false
		EachRemainder(word, 2, func(hash uint32) { common = common || left[hash] })
		if !common {
			t.Fatalf("%q and %q have no remainder in common", string(word), string(term))
		}
	})
}

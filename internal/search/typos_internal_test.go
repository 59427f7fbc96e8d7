package search

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestEditsBetween(t *testing.T) {
	for _, tt := range []struct {
		word, term   string
		most         int
		want, prefix int
	}{
		{"wicher", "witcher", 2, 1, 1},
		{"wittcher", "witcher", 1, 1, 1},
		{"wticher", "witcher", 2, 1, 1},
		{"witchet", "witcher", 1, 1, 2},
		{"wicthre", "witcher", 1, tooFar, tooFar},
		{"wicthre", "witcher", 2, 2, tooFar},
		{"cybrepu", "cyberpunk", 1, tooFar, 1},
		{"cybers", "cyberpunk", 1, tooFar, tooFar},
		{"видьмак", "ведьмак", 1, 1, 1},
	} {
		word, term := []rune(tt.word), []rune(tt.term)
		if got := editsBetween(word, term, tt.most); got != tt.want {
			t.Errorf("editsBetween(%q, %q, %d) = %d, want %d", tt.word, tt.term, tt.most, got, tt.want)
		}
		if got := editsOfPrefix(word, term, tt.most); got != tt.prefix && tt.prefix <= tt.most {
			t.Errorf("editsOfPrefix(%q, %q, %d) = %d, want %d", tt.word, tt.term, tt.most, got, tt.prefix)
		}
	}
}

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
		_, most := deletable(string(term))
		left := map[uint32]bool{}
		eachRemainder(term, most, func(hash uint32) { left[hash] = true })
		common := false
		eachRemainder(word, 2, func(hash uint32) { common = common || left[hash] })
		if !common {
			t.Fatalf("%q and %q have no remainder in common", string(word), string(term))
		}
	})
}

package spelling

import (
	"testing"
	"unicode"

	"gamedex/internal/fold"
)

// TestPlain puts every rune that counts as plain into every place of a word.
func TestPlain(t *testing.T) {
	plain := 0
	for r := range rune(unicode.MaxRune) {
		if !isPlain(string(r)) {
			continue
		}
		plain++
		c := string(r)
		text := c + "a" + c + c + "и" + c + " " + c + " 7" + c
		if got, want := joinChunks(text), fold.Fold(text); got != want {
			t.Errorf("%U: %q joined is %q, folded %q", r, text, got, want)
		}
	}
	if want := 63 + 66 + 62; plain != want {
		t.Errorf("%d plain runes, want %d", plain, want)
	}
}

func TestIsPlainForm(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "spider man": true, "Spider Man": true, " spiderman": true, "spiderman \t": true, "™ spiderman®": true, "  ": true,
		"spider-man": false, "spider  man": false, "spidér": false, "!": false, "spider man!": false,
	} {
		if got := IsPlainForm(text, fold.Fold(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

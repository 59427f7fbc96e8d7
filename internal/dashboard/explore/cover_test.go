package explore

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCoverIsDrawn(t *testing.T) {
	for title, want := range map[string]string{
		"ELDEN RING": "ER", "Ведьмак 3: Дикая Охота": "В3", "The Witcher 3: Wild Hunt": "TW", "Baldur’s Gate": "BG", "Marvel's X": "MX",
		"ウィッチャー3": "ウ", "™ — !": "", "": "", "a": "A",
	} {
		if got := coverOf("", title).Initials; got != want {
			t.Errorf("the cover of %q says %q, want %q", title, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.String().Draw(t, "title")
		c := coverOf("", title)
		if c.Ground < 1 || c.Ground > grounds || len([]rune(c.Initials)) > 2 || strings.ContainsAny(c.Initials, "<>&\"'") || c != coverOf("", title) {
			t.Fatalf("%q: %+v", title, c)
		}
	})
}

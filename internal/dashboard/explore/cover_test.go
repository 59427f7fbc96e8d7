package explore

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCoverIsDrawn(t *testing.T) {
	for title, want := range map[string]string{"Celeste": "Celeste", "  The\tWitcher\n 3 ": "The Witcher 3", "ウィッチャー3": "ウィッチャー3", "": ""} {
		if got := CoverOf("", title).Title; got != want {
			t.Errorf("the cover of %q says %q, want %q", title, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.String().Draw(t, "title")
		c := CoverOf("", title)
		if c.Ground < 1 || c.Ground > grounds || utf8.RuneCountInString(c.Title) > maxCoverTitle+1 || c != CoverOf("", title) {
			t.Fatalf("%q: %+v", title, c)
		}
	})
}

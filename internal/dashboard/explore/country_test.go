package explore

import (
	"regexp"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// TestTakesArticle checks countries whose names are common nouns or plurals, and some others.
func TestTakesArticle(t *testing.T) {
	names, nouns := display.English.Regions(), regexp.MustCompile("Islands$|Republic|Kingdom|States|Emirates|Territor(y|ies)$|Netherlands$")
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string([]rune{a, b})
			region, err := language.ParseRegion(code)
			if err != nil || region.Canonicalize() != region || !region.IsCountry() || code == "PS" { // Palestine
				continue
			}
			if name := names.Name(region); nouns.MatchString(name) && !takesArticle(code) {
				t.Errorf("no article before %s (%s)", name, code)
			}
		}
	}
	for code, want := range map[string]bool{"PH": true, "SC": true, "MV": true, "TR": false, "PS": false, "CZ": false, "IN": false, "UA": false} {
		if takesArticle(code) != want {
			t.Errorf("%s: %t, want %t", code, !want, want)
		}
	}
}

package spelling

import "testing"

func TestAlternateNumeral(t *testing.T) {
	for word, want := range map[string]string{
		"1": "i", "9": "ix", "14": "xiv", "39": "xxxix", "50": "l", "xlix": "49", "xxxviii": "38", "l": "50",
		"0": "", "51": "", "07": "", "li": "", "iiii": "", "ic": "", "": "", "vii7": "",
	} {
		if got := AlternateNumeral(word); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
		if want != "" && AlternateNumeral(want) != word {
			t.Errorf("%q: %q, want %q", want, AlternateNumeral(want), word)
		}
	}
}

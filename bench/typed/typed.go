package typed

import (
	"math/rand/v2"
	"slices"
	"strings"

	"gamedex/internal/index"
)

// Texts are for every second one two words of one title, for the others the
// beginning of a word, two to five letters long. Numerals are left out: the
// service finds them in both scripts, other engines do not.
func Texts(rng *rand.Rand, v *index.View, n int) []string {
	var list []string
	for len(list) < n {
		words := slices.DeleteFunc(strings.Fields(v.Card(rng.IntN(v.Len())).Title()), isNumeral)
		if len(words) == 0 {
			continue
		}
		i := rng.IntN(len(words))
		if len(list)%2 == 0 {
			if len(words) > 1 {
				j := (i + 1 + rng.IntN(len(words)-1)) % len(words)
				list = append(list, words[i]+" "+words[j])
			}
			continue
		}
		if word := []rune(words[i]); len(word) >= 2 {
			list = append(list, string(word[:min(len(word), 2+rng.IntN(4))]))
		}
	}
	return list
}

// isNumeral is true for lone punctuation, too.
func isNumeral(word string) bool { return strings.Trim(word, "IVX0123456789-&:") == "" }

package sample

import (
	"math/rand/v2"
	"slices"
	"strings"

	"gamedex/internal/index"
)

// TypedQueries returns queries as people type them: alternately two words of a
// title and a prefix of a word, two to five letters long. Numerals are left out,
// because the product finds them as Roman and Arabic ones and other engines do not.
func TypedQueries(rng *rand.Rand, v *index.View, n int) []string {
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

// isNumeral also reports true for punctuation.
func isNumeral(word string) bool { return strings.Trim(word, "IVX0123456789-&:") == "" }

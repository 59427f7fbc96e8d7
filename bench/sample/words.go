package sample

import (
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"
)

// words are the words of titles.
type words struct {
	frequent, rare, russian []string
}

const (
	frequentWords = 2_500
	rareWords     = 21_000
	russianWords  = 6_000
)

func newWords(rng *rand.Rand) words {
	return words{
		frequent: append(strings.Fields(common), invent(rng, frequentWords, "bcdfghklmnprstvw", "aeiou")...),
		rare:     invent(rng, rareWords, "bcdfghjklmnprstvwxz", "aeiouy"),
		russian:  invent(rng, russianWords, "бвгджзклмнпрст", "аеиоуы"),
	}
}

// common are words of many real titles.
const common = "The Of And World Star Dark Super War Battle Dragon Knight Quest Legend Racing Simulator Manager " +
	"Adventure Edition Story Legends Heroes Soul Shadow Empire Kingdom Galaxy Zombie Survival Ninja Space Island " +
	"City Farm Night Dead Lost Last Final Rise Fall Return Chronicles Saga Origins Remastered Tactics Arena Party"

// title returns an invented name with up to three frequent words around it, and
// a numeral at the end of every eighth title.
func (w words) title(rng *rand.Rand) string {
	title := []string{w.rare[rng.IntN(len(w.rare))]}
	for range rng.IntN(4) {
		// Squared, so that some words are in thousands of titles.
		title = append(title, w.frequent[int(rng.Float64()*rng.Float64()*float64(len(w.frequent)))])
	}
	rng.Shuffle(len(title), func(a, b int) { title[a], title[b] = title[b], title[a] })
	if rng.IntN(8) == 0 {
		title = append(title, []string{"II", "III", "IV", "2", "3", "4", "2024", "2025"}[rng.IntN(8)])
	}
	return strings.Join(title, " ")
}

func (w words) russianTitle(rng *rand.Rand) string {
	return w.russian[rng.IntN(len(w.russian))] + " " + w.russian[rng.IntN(len(w.russian))]
}

// invent returns words of two to four syllables, with a capital.
func invent(rng *rand.Rand, n int, consonants, vowels string) []string {
	c, v := []rune(consonants), []rune(vowels)
	list := make([]string, n)
	for i := range list {
		var b strings.Builder
		for range 2 + rng.IntN(3) {
			b.WriteRune(c[rng.IntN(len(c))])
			b.WriteRune(v[rng.IntN(len(v))])
		}
		b.WriteRune(c[rng.IntN(len(c))])
		first, size := utf8.DecodeRuneInString(b.String())
		list[i] = string(unicode.ToUpper(first)) + b.String()[size:]
	}
	return list
}

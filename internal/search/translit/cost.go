package translit

import (
	"math"
	"slices"
	"strings"
)

// How is how much a term must sound like a word.
type How struct {
	Exactly bool // no vowel may differ
	Usually bool // both must be read in the usual way
	Begins  bool // the term may be longer than the word
}

// CostOfVowel is what a vowel that sounds different costs. An unusual reading of consonants
// and a longer term cost 1.
const CostOfVowel = 2

// Cost returns how far a term is from a word by their sounds; ok is false if that is too far.
func Cost(word, term []Sound, how How) (cost int, ok bool) {
	cost = math.MaxInt
	consider := func(vowels, more int) {
		if vowels == 0 || !how.Exactly {
			cost = min(cost, CostOfVowel*vowels+more)
		}
	}
	whole := !how.Usually || isUsual(word, term)
	for i := range word {
		s := &word[i]
		for j := range term {
			t := &term[j]
			if vowels, ok := s.alike(t); ok && whole {
				unusual := 0
				if s.Key != word[0].Key || t.Key != term[0].Key {
					unusual = 1
				}
				consider(vowels, unusual)
			}
			if how.Begins {
				if vowels, ok := s.begins(t); ok {
					consider(vowels, 1)
				}
			}
		}
	}
	return cost, cost < math.MaxInt
}

// alike returns how many vowels differ, and whether they are few enough: at most a third,
// or one.
func (s *Sound) alike(t *Sound) (int, bool) {
	if s.Key != t.Key {
		return 0, false
	}
	n := differing(s.vowels(), t.vowels())
	return n, n <= max(1, (len(s.Key)+1)/3) && len(s.Key) > n
}

// begins returns how many vowels of the beginning of a word differ, and whether they are few
// enough: at most a third of its consonants. The vowels that the beginning ends with may go
// on in the word.
func (s *Sound) begins(t *Sound) (int, bool) {
	if !strings.HasPrefix(t.Key, s.Key) {
		return 0, false
	}
	last, vowels, other := len(s.Key), s.vowels(), t.vowels()
	n := differing(vowels[:last], other[:last])
	if !vowels[last].begins(other[last]) {
		n++
	}
	return n, n <= len(s.Key)/3
}

// begins reports whether a way in which c sounds is the beginning of one of d.
func (c cluster) begins(d cluster) bool {
	return slices.ContainsFunc(c, func(s string) bool {
		return slices.ContainsFunc(d, func(t string) bool { return strings.HasPrefix(t, s) })
	})
}

// differing returns how many of two lists of vowels differ.
func differing(a, b []cluster) (n int) {
	for i := range a {
		if !slices.ContainsFunc(a[i], func(s string) bool { return slices.Contains(b[i], s) }) {
			n++
		}
	}
	return n
}

// isUsual reports whether two words sound alike if both are read in the usual way.
func isUsual(a, b []Sound) bool {
	if len(a) == 0 || len(b) == 0 || a[0].Key != b[0].Key {
		return false
	}
	vowels := b[0].vowels()
	for i, c := range a[0].vowels() {
		usual := vowels[i][:min(2, len(vowels[i]))] // as written, and the first that is listed
		silent := i == len(a[0].Key) && c[0] == "" && slices.Contains(vowels[i], "")
		if !slices.Contains(usual, c[0]) && !silent {
			return false
		}
	}
	return true
}

// OneConsonant reports whether two words with three consonants or more would have the
// same ones if one was missing, added or another.
func OneConsonant(a, b []Sound) bool {
	const least = 3
	near := func(s, t string) bool {
		if len(s) > len(t) {
			s, t = t, s
		}
		at := 0
		for at < len(s) && s[at] == t[at] {
			at++
		}
		return len(s) >= least && (len(s) == len(t) && s[min(at+1, len(s)):] == t[min(at+1, len(t)):] || len(s)+1 == len(t) && s[at:] == t[at+1:])
	}
	return slices.ContainsFunc(a, func(s Sound) bool {
		return slices.ContainsFunc(b, func(t Sound) bool { return near(s.Key, t.Key) })
	})
}

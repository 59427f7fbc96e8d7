package spelling

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A delete dictionary has a word under what is left of it after up to two characters are
// deleted: two words within two edits have such a remainder in common.

// deletePrefix is how many characters of a word the delete dictionary covers, from
// its start. Fewer make it smaller, with more candidates that do not match. None is
// missed: the prefixes of two words within k edits share all but k of their
// characters in order, because each character that an edit moves across the end of
// the prefix makes up for one deleted before it.
const deletePrefix = 7

// EachRemainder calls visit with a hash of every remainder of a word's prefix after
// deleting up to edits characters. It may visit a hash more than once.
func EachRemainder(word []rune, edits int, visit func(hash uint32)) {
	word = word[:min(len(word), deletePrefix)]
	visit(hashWithout(word, -1, -1))
	if edits < 1 {
		return
	}
	for i := range word {
		visit(hashWithout(word, i, -1))
		if edits < 2 {
			continue
		}
		for j := range i {
			visit(hashWithout(word, i, j))
		}
	}
}

// hashWithout returns FNV-1a over the characters of word except those at i and j,
// with the high half mixed in. It is part of the file format.
func hashWithout(word []rune, i, j int) uint32 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for at, r := range word {
		if at != i && at != j {
			h = (h ^ uint64(r)) * prime
		}
	}
	return uint32(h>>32) ^ uint32(h)*0x9e3779b1
}

// EachTermRemainder calls visit with the hashes under which a delete dictionary has a term.
func EachTermRemainder(term string, visit func(hash uint32)) {
	if letters, edits := deletable(term); edits >= 0 {
		EachRemainder([]rune(letters), edits, visit)
	}
}

// deletable returns the part of a term that the delete dictionary covers, which is
// everything before its first digit, and how many characters are deleted from it,
// or -1 for a term that no typo matches.
//
// A word that may have two typos has 8 characters or more. It matches a term of 6
// after two deletes in the word, which cost the term at most one, at the end of the
// prefix. Shorter terms are too far away.
//
// A mistyped prefix needs no dictionary. The rest of the term, appended
// to the word, makes it a whole word with the same edits, and a word of 7
// characters has the same prefix without it. A word of 6 lacks one character of
// that prefix; but it may have one edit only, and a term of 7 has a second delete
// for that character. The mistyped prefix has at least 5 characters, so that no
// query matches a term with fewer before its first digit.
func deletable(term string) (letters string, edits int) {
	letters = BeforeDigit(term)
	n := utf8.RuneCountInString(letters)
	switch {
	case n < 3 || n < MinPrefix-1 && letters != term:
		return letters, -1
	case n < deletePrefix:
		return letters, 1
	}
	return letters, 2
}

// BeforeDigit returns the part of a term before its first digit.
func BeforeDigit(term string) string {
	if at := strings.IndexFunc(term, unicode.IsDigit); at >= 0 {
		return term[:at]
	}
	return term
}

// tooFar is more edits than any words within reach have.
const tooFar = 99

// MinPrefix is the length from which a word may be a mistyped prefix of a longer
// one. Shorter prefixes match too much.
const MinPrefix = 6

// EditsOfPrefix returns the fewest edits between a word and a prefix of a term, or
// tooFar if they are more than most. The last character of the prefix must be right;
// otherwise a word would also match everything that starts with a shorter part of it.
func EditsOfPrefix(word, term []rune, most int) int {
	fewest, longest := tooFar, min(len(word)+most, len(term))
	for n := len(word) - most; n <= longest; n++ {
		if term[n-1] == word[len(word)-1] {
			fewest = min(fewest, Edits(word, term[:n], most))
		}
	}
	return fewest
}

// Edits returns the number of edits between two words, or tooFar if they are more
// than most.
func Edits(a, b []rune, most int) int {
	if !within(a, b, most) {
		return tooFar
	}
	for most > 0 && within(a, b, most-1) {
		most--
	}
	return most
}

// within reports whether a and b are within the given number of edits: a character
// missing, added or wrong, or two neighbours swapped. It skips a common prefix,
// which never costs an edit, and then tries each kind of edit, at most 4 to the
// power of edits times.
func within(a, b []rune, edits int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if max(len(a)-len(b), len(b)-len(a)) > edits {
		return false
	}
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	if edits == 0 {
		return false
	}
	return within(a[1:], b[1:], edits-1) ||
		within(a[1:], b, edits-1) ||
		within(a, b[1:], edits-1) ||
		len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && within(a[2:], b[2:], edits-1)
}

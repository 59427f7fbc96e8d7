package search

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/snapshot"
)

// addTypos writes the delete dictionary: terms in buckets by the high bits of the
// hash. It leaves out terms that are not a whole word of any title.
func addTypos(w *snapshot.Writer, terms []string, whole []bool) {
	var pairs []uint64 // hash, term
	for term, text := range terms {
		letters, most := deletable(text)
		if most < 0 || !whole[term] {
			continue
		}
		eachRemainder([]rune(letters), most, func(hash uint32) {
			pairs = append(pairs, uint64(hash)<<32|uint64(term))
		})
	}
	addBuckets(w, sectionTyposAt, sectionTypos, pairs)
}

// addBuckets writes terms in buckets by the high bits of a hash. A pair has the hash
// above the term.
func addBuckets(w *snapshot.Writer, sectionAt, section string, pairs []uint64) {
	slices.Sort(pairs)
	pairs = slices.Compact(pairs)
	buckets := 1 << max(1, bits.Len(uint(len(pairs)/2)))
	offsets, entries := []byte(nil), make([]byte, 0, 4*len(pairs))
	next := 0
	for bucket := range uint32(buckets) {
		offsets = snapshot.AppendU32(offsets, uint32(next))
		for ; next < len(pairs) && bucketOf(uint32(pairs[next]>>32), buckets) == bucket; next++ {
			entries = snapshot.AppendU32(entries, uint32(pairs[next]))
		}
	}
	w.Add(sectionAt, snapshot.AppendU32(offsets, uint32(next)))
	w.Add(section, entries)
}

// bucketOf returns the high bits of a hash, so that buckets are in the order of
// hashes. The number of buckets is a power of two, at least 2.
func bucketOf(hash uint32, buckets int) uint32 {
	return hash >> (33 - bits.Len(uint(buckets)))
}

// appendBucket appends the terms of the bucket that a hash is in.
func appendBucket(dst []uint32, at, list snapshot.U32s, hash uint32) []uint32 {
	b := int(bucketOf(hash, at.Len()-1))
	terms := list.Slice(at.At(b), at.At(b+1))
	for i := range terms.Len() {
		dst = append(dst, terms.At(i))
	}
	return dst
}

// findTypos sets the typos of a word: the terms within its edits that are whole words
// of titles. With prefixes it adds terms with a prefix within its edits.
func (f *finder) findTypos(w *word, prefixes bool) {
	most, letters := 2, utf8.RuneCountInString(w.text)
	switch {
	case letters < 4 || hasDigit(w.text) || alternateNumeral(w.text) != "":
		return
	case letters < 8:
		most = 1
	}
	f.queried = appendRunes(f.queried[:0], w.text)
	// The candidates, ascending, share a remainder with the word, or only its bucket.
	f.candidates = f.candidates[:0]
	eachRemainder(f.queried, most, func(hash uint32) {
		f.candidates = appendBucket(f.candidates, f.x.typosAt, f.x.typos, hash)
	})
	slices.Sort(f.candidates)
	f.candidates = slices.Compact(f.candidates)
	first := len(f.typos)
	for _, term := range f.candidates {
		text, cost := f.x.terms.At(term), costly
		f.letters = appendRunes(f.letters[:0], beforeDigit(text))
		if len(f.letters) == utf8.RuneCountInString(text) {
			cost = costOfEdit * editsBetween(f.queried, f.letters, most)
		}
		if prefixes {
			cost = min(cost, costOfEdit*editsOfPrefix(f.queried, f.letters, most)+costOfLonger)
		}
		if cost <= costOfEdit*most+costOfLonger {
			f.typos = append(f.typos, near{term, cost})
			w.sure = w.sure && f.x.pieces[term/64]>>(term%64)&1 == 0
		}
	}
	w.typos = f.typos[first:len(f.typos):len(f.typos)]
}

func appendRunes(dst []rune, s string) []rune {
	for _, r := range s {
		dst = append(dst, r)
	}
	return dst
}

// deletePrefix is how many characters of a word the delete dictionary covers, from
// its start. Fewer make it smaller, with more candidates that do not match. None is
// missed: the prefixes of two words within k edits share all but k of their
// characters in order, because each character that an edit moves across the end of
// the prefix makes up for one deleted before it.
const deletePrefix = 7

// eachRemainder calls visit with a hash of every remainder of a word's prefix after
// deleting up to edits characters. It may visit a hash more than once.
func eachRemainder(word []rune, edits int, visit func(hash uint32)) {
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
	letters = beforeDigit(term)
	n := utf8.RuneCountInString(letters)
	switch {
	case n < 3 || n < minPrefix-1 && letters != term:
		return letters, -1
	case n < deletePrefix:
		return letters, 1
	}
	return letters, 2
}

// beforeDigit returns the part of a term before its first digit.
func beforeDigit(term string) string {
	if at := strings.IndexFunc(term, unicode.IsDigit); at >= 0 {
		return term[:at]
	}
	return term
}

// tooFar is more edits than any words within reach have.
const tooFar = 99

// minPrefix is the length from which a word may be a mistyped prefix of a longer
// one. Shorter prefixes match too much.
const minPrefix = 6

// editsOfPrefix returns the fewest edits between a word and a prefix of a term, or
// tooFar if they are more than most. The last character of the prefix must be right;
// otherwise a word would also match everything that starts with a shorter part of it.
func editsOfPrefix(word, term []rune, most int) int {
	fewest, longest := tooFar, min(len(word)+most, len(term))
	for n := len(word) - most; n <= longest; n++ {
		if term[n-1] == word[len(word)-1] {
			fewest = min(fewest, editsBetween(word, term[:n], most))
		}
	}
	return fewest
}

// editsBetween returns the number of edits between two words that are not equal, or
// tooFar if they are more than most.
func editsBetween(a, b []rune, most int) int {
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

package search

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/snapshot"
)

// removalPrefix is how many first characters of a word enter the table of
// removals. Fewer make a smaller table and more false finds. Nothing is missed:
// in words within k edits, the prefixes of equal length share all but k of
// their characters in order, because each character that is pushed across the
// end of the prefix is paid for by one removed before it.
const removalPrefix = 7

// removals calls visit with a hash of every text that is left of a word's first
// characters after taking away none to edits of them; some come repeatedly.
func removals(word []rune, edits int, visit func(hash uint32)) {
	word = word[:min(len(word), removalPrefix)]
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

// hashWithout is FNV-1a over the characters of word but those at i and j, with
// the high half mixed in. It is part of the file format.
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

// removable returns what of a term enters the table, which is all before its
// first digit, and how many removals of it; -1 for a term that no typo leads to.
//
// A word that takes two edits has 8 characters or more: a term of 6 is reached
// by taking two away, which costs the term one at most, at the end of the
// prefix; shorter terms are out of reach.
//
// A mistyped beginning needs no table of its own. What follows the beginning in
// the term, put behind the word, makes the word a whole one with as few edits,
// and a word of 7 characters has the same prefix without it. A word of 6 lacks
// one character of that prefix; it takes one edit only, and a term of 7 has
// another removal to spare for that character. The beginning has 5 characters
// at least, so a term with fewer before its first digit is found by nobody.
func removable(term string) (letters string, edits int) {
	letters = beforeDigit(term)
	n := utf8.RuneCountInString(letters)
	switch {
	case n < 3 || n < minBeginning-1 && letters != term:
		return letters, -1
	case n < removalPrefix:
		return letters, 1
	}
	return letters, 2
}

// beforeDigit returns what stands before the first digit of a term.
func beforeDigit(term string) string {
	if at := strings.IndexFunc(term, unicode.IsDigit); at >= 0 {
		return term[:at]
	}
	return term
}

// addTypos writes the table of removals: terms in buckets by the high bits of
// the hash. Terms that are no whole word of any title are left out.
func addTypos(w *snapshot.Writer, terms []string, whole []bool) {
	var pairs []uint64 // hash, term
	for term, text := range terms {
		letters, edits := removable(text)
		if edits < 0 || !whole[term] {
			continue
		}
		removals([]rune(letters), edits, func(hash uint32) {
			pairs = append(pairs, uint64(hash)<<32|uint64(term))
		})
	}
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
	w.Add(sectionTyposAt, snapshot.AppendU32(offsets, uint32(next)))
	w.Add(sectionTypos, entries)
}

// bucketOf takes the high bits of the hash, so that buckets follow one another
// in the order of hashes. There are at least 2 buckets, a power of two.
func bucketOf(hash uint32, buckets int) uint32 {
	return hash >> (33 - bits.Len(uint(buckets)))
}

// similar sets the typos of a word: the terms that are whole words of titles
// and within its edits, or that have a beginning which is.
func (f *finder) similar(w *word, beginnings bool) {
	edits := allowance(w.text)
	if edits == 0 {
		return
	}
	f.asked = appendRunes(f.asked[:0], w.text)
	f.gather(f.asked, edits)
	first := len(f.spans)
	for _, term := range f.candidates {
		text := f.x.terms.At(term)
		f.letters = appendRunes(f.letters[:0], beforeDigit(text))
		near := len(f.letters) == utf8.RuneCountInString(text) && within(f.asked, f.letters, edits)
		if near || beginnings && beginsNear(f.asked, f.letters, edits) {
			f.spans = append(f.spans, span{term, term + 1})
			w.sure = w.sure && !f.x.isPiece(term)
		}
	}
	w.typos = f.spans[first:len(f.spans):len(f.spans)]
}

// gather makes f.candidates the terms, rising, that share a removal with word.
// Some share it only by the bucket.
func (f *finder) gather(word []rune, edits int) {
	x := f.x
	buckets := x.typosAt.Len() - 1
	f.candidates = f.candidates[:0]
	removals(word, edits, func(hash uint32) {
		b := int(bucketOf(hash, buckets))
		list := x.typos.Slice(x.typosAt.At(b), x.typosAt.At(b+1))
		for i := range list.Len() {
			f.candidates = append(f.candidates, list.At(i))
		}
	})
	slices.Sort(f.candidates)
	f.candidates = slices.Compact(f.candidates)
}

// minBeginning is the length from which a word may be taken as a mistyped
// beginning of a longer one; shorter beginnings say too little.
const minBeginning = 6

// beginsNear says whether some beginning of a term becomes word by at most the
// given number of edits. Its last character must be right, or else every word
// would also stand for all that begins with it cut short.
func beginsNear(word, term []rune, edits int) bool {
	longest := min(len(word)+edits, len(term))
	for n := len(word) - edits; n <= longest; n++ {
		if term[n-1] == word[len(word)-1] && within(word, term[:n], edits) {
			return true
		}
	}
	return false
}

func appendRunes(dst []rune, s string) []rune {
	for _, r := range s {
		dst = append(dst, r)
	}
	return dst
}

// within says whether a becomes b by at most the given number of edits: a
// character missing, added, wrong, or two neighbours swapped. Equal beginnings
// are skipped, which never costs an edit; then each kind of edit is tried, at
// most 4 to the power of edits times.
func within(a, b []rune, edits int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if abs(len(a)-len(b)) > edits {
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
		swapped(a, b) && within(a[2:], b[2:], edits-1)
}

// swapped says whether a and b begin with the same two characters crosswise.
func swapped(a, b []rune) bool {
	return len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0]
}

func abs(n int) int { return max(n, -n) }

package search

import (
	"math/bits"
	"slices"
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

// removable says how many removals of a term the table holds, -1 for a term
// that no typo leads to. A word that takes two edits has 8 characters or more:
// a term of 6 is reached by taking two away, which costs the term one at most,
// at the end of the prefix; shorter terms are out of reach.
func removable(term string) int {
	letters := utf8.RuneCountInString(term)
	switch {
	case letters < 3 || hasDigit(term):
		return -1
	case letters < 7:
		return 1
	}
	return 2
}

// addTypos writes the table of removals: terms in buckets by the high bits of
// the hash. Terms that are no whole word of any title are left out.
func addTypos(w *snapshot.Writer, terms []string, whole []bool) {
	var pairs []uint64 // hash, term
	for term, text := range terms {
		edits := removable(text)
		if edits < 0 || !whole[term] {
			continue
		}
		removals([]rune(text), edits, func(hash uint32) {
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

// similar appends the terms, other than word itself, that are whole words of
// titles within the given number of edits.
func (f *finder) similar(dst []span, word []rune, edits int) []span {
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
	for _, term := range slices.Compact(f.candidates) {
		f.runes = appendRunes(f.runes[:0], x.terms.At(term))
		if within(word, f.runes, edits) {
			dst = append(dst, span{term, term + 1})
		}
	}
	return dst
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

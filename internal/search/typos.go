package search

import (
	"slices"
	"unicode/utf8"

	"gamedex/internal/search/spelling"
	"gamedex/internal/search/terms"
	"gamedex/internal/snapshot"
)

// addTypos writes the delete dictionary: terms in buckets by the high bits of the
// hash. It leaves out terms that are not a whole word of any title.
func addTypos(w *snapshot.Writer, texts []string, whole []bool) {
	var pairs []uint64 // hash, term
	for term, text := range texts {
		letters, most := spelling.Deletable(text)
		if most < 0 || !whole[term] {
			continue
		}
		spelling.EachRemainder([]rune(letters), most, func(hash uint32) {
			pairs = append(pairs, uint64(hash)<<32|uint64(term))
		})
	}
	terms.AddBuckets(w, sectionTyposAt, sectionTypos, pairs)
}

// findTypos sets the typos of a word: the terms within its edits that are whole words
// of titles. With prefixes it adds terms with a prefix within its edits.
func (f *finder) findTypos(w *word, prefixes bool) {
	most, letters := 2, utf8.RuneCountInString(w.text)
	switch {
	case letters < 4 || spelling.HasDigit(w.text) || spelling.AlternateNumeral(w.text) != "":
		return
	case letters < 8:
		most = 1
	}
	f.queried = appendRunes(f.queried[:0], w.text)
	// The candidates, ascending, share a remainder with the word, or only its bucket.
	f.candidates = f.candidates[:0]
	spelling.EachRemainder(f.queried, most, func(hash uint32) {
		f.candidates = f.x.typos.Append(f.candidates, hash)
	})
	slices.Sort(f.candidates)
	f.candidates = slices.Compact(f.candidates)
	first := len(f.typos)
	for _, term := range f.candidates {
		text, cost := f.x.terms.At(term), costly
		f.letters = appendRunes(f.letters[:0], spelling.BeforeDigit(text))
		if len(f.letters) == utf8.RuneCountInString(text) {
			cost = costOfEdit * spelling.Edits(f.queried, f.letters, most)
		}
		if prefixes {
			cost = min(cost, costOfEdit*spelling.EditsOfPrefix(f.queried, f.letters, most)+costOfLonger)
		}
		if cost <= costOfEdit*most+costOfLonger {
			f.typos = append(f.typos, near{term, cost})
			w.sure = w.sure && f.x.suffixes[term/64]>>(term%64)&1 == 0
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

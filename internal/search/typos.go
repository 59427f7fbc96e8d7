package search

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"gamedex/internal/search/spelling"
)

// near is a term that is similar to the word.
type near struct {
	term uint32
	cost int
}

func (n near) compare(term uint32) int { return cmp.Compare(n.term, term) }

// searchTypos finds all documents for a folded query with typos.
func (f *finder) searchTypos(folded string) {
	f.planQuery(folded)
	for i := range f.words {
		f.findTypos(&f.words[i], false)
	}
	f.orderNeeded()
	if f.rankNames(withTypos); f.foundBy(Typos, folded) {
		return
	}
	last := &f.words[len(f.words)-1]
	if len([]rune(last.text)) >= spelling.MinPrefix {
		f.findTypos(last, true)
		f.orderNeeded()
		f.rankNames(withTypos)
		f.foundBy(Typos, folded)
	}
}

// findTypos sets the typos of a word: the terms within its edits that are whole words
// of titles. With prefixes, for the word that it was called for last, it adds terms with a
// prefix within its edits.
func (f *finder) findTypos(w *word, prefixes bool) {
	most, letters := 2, utf8.RuneCountInString(w.text)
	switch {
	case letters < 4 || spelling.HasDigit(w.text) || spelling.AlternateNumeral(w.text) != "":
		return
	case letters < 8:
		most = 1
	}
	f.queried = append(f.queried[:0], []rune(w.text)...)
	if !prefixes {
		// The candidates, ascending, share a remainder with the word, or only its bucket.
		f.candidates = f.candidates[:0]
		spelling.EachRemainder(f.queried, most, func(hash uint32) {
			f.candidates = f.x.typos.Append(f.candidates, hash)
		})
		slices.Sort(f.candidates)
		f.candidates = slices.Compact(f.candidates)
	}
	first := len(f.typos)
	for _, term := range f.candidates {
		text, cost := f.x.terms.At(term), costly
		letters := utf8.RuneCountInString(text)
		if letters < len(f.queried)-most || !prefixes && letters > len(f.queried)+most {
			continue
		}
		f.letters = f.letters[:0]
		for _, r := range spelling.BeforeDigit(text) {
			f.letters = append(f.letters, r)
		}
		if len(f.letters) == letters {
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

// typo returns the cost of a term among the typos.
func (w *word) typo(term uint32) (cost int, ok bool) {
	at, ok := slices.BinarySearchFunc(w.typos, term, near.compare)
	if !ok {
		return costly, false
	}
	return w.typos[at].cost, true
}

// setTypo adds a term to the last typos that were found, or lowers its cost.
func (f *finder) setTypo(w *word, n near) {
	at, known := slices.BinarySearchFunc(w.typos, n.term, near.compare)
	if known {
		w.typos[at].cost = min(w.typos[at].cost, n.cost)
		return
	}
	first := len(f.typos) - len(w.typos)
	f.typos = slices.Insert(f.typos, first+at, n)
	w.typos = f.typos[first:len(f.typos):len(f.typos)]
}

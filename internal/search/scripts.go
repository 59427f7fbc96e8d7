package search

import (
	"slices"
	"unicode/utf8"

	"gamedex/internal/fold"
	"gamedex/internal/search/translit"
	"gamedex/internal/snapshot"
)

// The bounds of the search in another script: how many characters a query has at
// least, because too much looks or sounds like a shorter one; how many words it has
// at most to be compared by sound; and how many terms are compared with a word.
const (
	minScripts    = 3
	maxSoundWords = 8
	maxAlike      = 512
)

// searchScripts finds documents for a query that was typed with another keyboard
// layout, or else for one that sounds like their names in the other script. The
// query is also given in its folded form.
func (f *finder) searchScripts(text, folded string) {
	if utf8.RuneCountInString(folded) < minScripts {
		return
	}
	for _, other := range translit.Layouts(text) {
		spaced := fold.Fold(other)
		if f.searchFolded(spaced); f.total > 0 {
			return
		}
		if joined := joinPunctuation(other, spaced); joined != spaced {
			if f.searchFolded(joined); f.total > 0 {
				return
			}
		}
	}
	f.planQuery(folded)
	if len(f.words) <= maxSoundWords && f.findSounds() {
		f.orderNeeded()
		f.rankNames(withTypos)
	}
}

// addSounds writes the terms that are whole words of titles by the keys of their
// sounds.
func addSounds(w *snapshot.Writer, terms []string, whole []bool) {
	var pairs []uint64 // hash, term
	for term, text := range terms {
		if !whole[term] {
			continue
		}
		for _, s := range translit.Read(text) {
			pairs = append(pairs, uint64(hashText(s.Key))<<32|uint64(term))
		}
	}
	addBuckets(w, sectionSoundsAt, sectionSounds, pairs)
}

// findSounds sets the terms that sound like a word in the other script, for all
// words of the plan. It reports whether there is any. A Cyrillic word may also be an
// acronym, letter by letter.
func (f *finder) findSounds() (found bool) {
	for i := range f.words {
		w := &f.words[i]
		other, sounds := translit.Cyrillic, translit.ReadRussian(w.text)
		if translit.Cyrillic(w.text) {
			other, sounds = translit.Latin, translit.Read(w.text)
		}
		f.findAlike(w, sounds, other)
		for _, spelled := range translit.Letters(w.text) {
			if w.acronym == 0 {
				w.acronym = f.x.findAcronym(spelled)
			}
			if term := f.x.termOf(spelled); term != 0 && len(w.typos) == 0 {
				w.typos = []near{{term: term}}
			}
		}
		f.noteWord(w)
		w.sure = false
		found = found || len(w.typos) > 0 || w.acronym != 0
	}
	return found
}

// findAlike sets the terms in another script that sound like a word.
func (f *finder) findAlike(w *word, sounds []translit.Sound, other func(string) bool) {
	x := f.x
	f.candidates = f.candidates[:0]
	for _, s := range sounds {
		f.candidates = appendBucket(f.candidates, x.soundsAt, x.sounds, hashText(s.Key))
	}
	slices.Sort(f.candidates)
	f.candidates = slices.Compact(f.candidates)
	first := len(f.typos)
	for _, term := range f.candidates[:min(len(f.candidates), maxAlike)] {
		text := x.terms.At(term)
		if !other(text) {
			continue
		}
		if cost, ok := translit.Alike(sounds, translit.Read(text)); ok {
			f.typos = append(f.typos, near{term, costOfEdit * cost})
		}
	}
	w.typos = f.typos[first:len(f.typos):len(f.typos)]
}

package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"gamedex/internal/search/spelling"
	"gamedex/internal/search/terms"
	"gamedex/internal/search/translit"
)

// The bounds of the search in another script: how many characters a query has at least;
// from how many on the only word may be the beginning of a longer one by sound; how many
// words a query has at most to be compared by sound; and how many terms are compared with
// a word.
const (
	minScripts     = translit.MinLetters
	minSoundPrefix = 4
	maxSoundWords  = 8
	maxAlike       = 512
)

// searchScripts finds documents for a query that was typed with another keyboard
// layout, or that sounds like their names in the other script. Whole words come
// first: гта is an acronym rather than the keys of "unf…", and exact sounds come
// before those that are only similar. The query is also given in its folded form.
func (f *finder) searchScripts(text, folded string) {
	if utf8.RuneCountInString(folded) < minScripts {
		return
	}
	likely, layouts := translit.Retyped(text)
	f.closed = true
	bySound := !f.searchLayouts(likely) && f.searchSounds(folded, true)
	f.closed = false
	switch { // if whole words are found, the next search also finds longer ones
	case bySound:
		f.searchSounds(folded, true)
		f.foundBy(Sound, folded)
		return
	case f.searchLayouts(likely) || f.searchOpenSounds(folded, Sound) || f.searchLayouts(layouts):
		return
	}
	if slices.ContainsFunc(layouts, func(other string) bool { return f.searchOpenSounds(other, Layout|Sound) }) {
		return
	}
	for _, search := range []func(string, Change) bool{f.searchSoundParts, f.searchNearSounds} {
		if search(folded, Sound) || slices.ContainsFunc(layouts, func(other string) bool { return search(other, Layout|Sound) }) {
			return
		}
	}
}

func (f *finder) searchLayouts(layouts []string) bool {
	typed := f.plain
	f.plain = true // the forms are folded
	defer func() { f.plain = typed }()
	for _, other := range layouts {
		if f.searchFolded(other); f.foundBy(Layout, other) {
			f.searchAlsoSounds(other)
			return true
		}
	}
	return false
}

// searchAlsoSounds searches again for a Cyrillic word that few titles have, and those only as the
// beginning of longer words, if other words sound exactly like it: арк is ARK before Аркхем.
func (f *finder) searchAlsoSounds(folded string) {
	if len(f.words) != 1 || f.total > maxAlike || f.words[0].mayBeWhole() || !translit.Cyrillic(folded) || utf8.RuneCountInString(folded) < minScripts {
		return
	}
	w := &f.words[0]
	f.findAlike(w, translit.How{Exactly: true, Usually: utf8.RuneCountInString(folded) <= minScripts})
	if len(w.typos) > 0 {
		w.sure = false
		f.orderNeeded()
		f.rankNames(withTypos)
		f.foundBy(Sound, folded)
	}
}

// searchSounds finds documents for a folded query by sound, and reports whether there
// are any. A word of three letters that is all of the query must sound exactly and in
// the usual way alike.
func (f *finder) searchSounds(folded string, exactly bool) bool {
	f.reset()
	if strings.Count(folded, " ") >= maxSoundWords || !exactly && utf8.RuneCountInString(folded) <= minScripts {
		return false
	}
	f.planQuery(folded)
	if !f.findSounds(exactly) {
		return false
	}
	f.orderNeeded()
	f.rankNames(withTypos)
	return f.total > 0
}

// findSounds sets the terms that sound like a word in the other script, for all
// words of the plan. It reports whether there is any.
func (f *finder) findSounds(exactly bool) (found bool) {
	for i := range f.words {
		w := &f.words[i]
		f.findSoundsOf(w, exactly)
		found = found || len(w.typos) > 0 || w.acronym != 0
	}
	if last := len(f.words) - 1; last > 0 && f.words[last].isBarelyBegun() && !f.closed {
		f.words = f.words[:last]
	}
	return found
}

// findSoundsOf sets the terms that sound like a word of the plan. A Cyrillic word may also
// be an acronym or a word letter by letter.
func (f *finder) findSoundsOf(w *word, exactly bool) {
	letters := utf8.RuneCountInString(w.text)
	f.findAlike(w, translit.How{
		Exactly: exactly,
		Usually: len(f.words) == 1 && letters <= minScripts,
		Begins:  w.open && (len(f.words) > 1 || letters >= minSoundPrefix),
	})
	for _, spelled := range slices.Backward(translit.Letters(w.text)) {
		w.acronym = cmp.Or(f.x.findAcronym(spelled), w.acronym)
		if term := f.x.terms.Find(spelled); term != 0 {
			f.setTypo(w, near{term: term})
		}
	}
	f.noteWord(w)
	w.sure = false
}

// isBarelyBegun reports whether a word has too few letters to tell how it goes on, and
// nothing matches it.
func (w *word) isBarelyBegun() bool {
	return utf8.RuneCountInString(w.text) < minScripts && len(w.typos) == 0 && w.acronym == 0 && w.written.Lo == w.written.Hi &&
		!spelling.HasDigit(w.text)
}

// findAlike sets the terms in the other script that sound like a word. Of more than
// maxAlike, those that are longer are left out.
func (f *finder) findAlike(w *word, how translit.How) {
	other, sounds := translit.Cyrillic, translit.ReadRussian(w.text)
	if translit.Cyrillic(w.text) {
		other, sounds = translit.Latin, translit.Read(w.text)
	}
	f.candidates = f.candidates[:0]
	for _, key := range translit.Keys(sounds, how.Begins) {
		f.candidates = f.x.sounds.Append(f.candidates, terms.Hash(key))
	}
	f.candidates = f.candidates[:min(len(f.candidates), maxAlike)]
	slices.Sort(f.candidates)
	first := len(f.typos)
	for _, term := range slices.Compact(f.candidates) {
		if text := f.x.terms.At(term); other(text) {
			if cost, ok := translit.Cost(sounds, translit.Read(text), how); ok {
				f.typos = append(f.typos, near{term, cost})
			}
		}
	}
	w.typos = f.typos[first:len(f.typos):len(f.typos)]
}

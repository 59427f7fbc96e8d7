package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"gamedex/internal/fold"
	"gamedex/internal/search/spelling"
	"gamedex/internal/search/terms"
	"gamedex/internal/search/translit"
	"gamedex/internal/snapshot"
)

// The bounds of the search in another script: how many characters a query has at
// least, because too much looks or sounds like a shorter one; from how many on the
// only word may be the beginning of a longer one by sound; how many words a query has at
// most to be compared by sound; and how many terms are compared with a word.
const (
	minScripts     = 3
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
	likely, layouts := layoutsOf(text)
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

// layoutsOf returns the folded forms of what the keys of a text give in other layouts, and
// which of them are likely: few words begin or end with a sign, as ".ac" for юфс does.
func layoutsOf(text string) (likely, forms []string) {
	for _, other := range translit.Layouts(text) {
		spaced := fold.Fold(other)
		signs := slices.ContainsFunc(strings.Fields(other), func(word string) bool { return strings.Trim(word, "`[];',.") != word })
		for _, form := range []string{spaced, spelling.JoinPunctuation(other, spaced)} {
			if utf8.RuneCountInString(form) < minScripts || slices.Contains(forms, form) {
				continue
			}
			forms = append(forms, form)
			if !signs {
				likely = append(likely, form)
			}
		}
	}
	return likely, forms
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
	f.findAlike(w, alike{exactly: true, usually: utf8.RuneCountInString(folded) <= minScripts})
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
	f.planQuery(folded)
	f.reset()
	if len(f.words) > maxSoundWords || !exactly && utf8.RuneCountInString(folded) <= minScripts || !f.findSounds(exactly) {
		return false
	}
	f.orderNeeded()
	f.rankNames(withTypos)
	return f.total > 0
}

// maxSoundKey is how many consonants the keys of beginnings of words have at most.
const minSoundKey, maxSoundKey = 2, 5

// addSounds writes the terms that are whole words of titles by the keys of their
// sounds, and by the beginnings of these.
func addSounds(w *snapshot.Writer, texts []string, whole []bool) {
	var pairs []uint64 // hash, term
	for term, text := range texts {
		if !whole[term] {
			continue
		}
		for _, s := range translit.Read(text) {
			pairs = append(pairs, uint64(terms.Hash(s.Key))<<32|uint64(term))
			for n := minSoundKey; n <= min(len(s.Key), maxSoundKey); n++ {
				pairs = append(pairs, uint64(hashBeginning(s.Key[:n]))<<32|uint64(term))
			}
		}
	}
	terms.AddBuckets(w, sectionSoundsAt, sectionSounds, pairs)
}

// hashBeginning returns the hash of the beginning of keys.
func hashBeginning(key string) uint32 { return terms.Hash(key + "*") }

// alike is how much a term must sound like a word.
type alike struct {
	exactly bool // no vowel may differ
	usually bool // both must be read in the usual way
	begins  bool // it may be longer than the word
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
	f.findAlike(w, alike{
		exactly: exactly,
		usually: len(f.words) == 1 && letters <= minScripts,
		begins:  w.open && (len(f.words) > 1 || letters >= minSoundPrefix),
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
	return utf8.RuneCountInString(w.text) < minScripts && len(w.typos) == 0 && w.acronym == 0 && w.written.lo == w.written.hi &&
		!spelling.HasDigit(w.text)
}

// setTypo adds a term to the last typos that were found, or lowers its cost.
func (f *finder) setTypo(w *word, n near) {
	at, known := slices.BinarySearchFunc(w.typos, n, func(a, b near) int { return int(a.term) - int(b.term) })
	if known {
		w.typos[at].cost = min(w.typos[at].cost, n.cost)
		return
	}
	first := len(f.typos) - len(w.typos)
	f.typos = slices.Insert(f.typos, first+at, n)
	w.typos = f.typos[first:len(f.typos):len(f.typos)]
}

// findAlike sets the terms in the other script that sound like a word. Of more than
// maxAlike, those that are longer are left out.
func (f *finder) findAlike(w *word, how alike) {
	other, sounds := translit.Cyrillic, translit.ReadRussian(w.text)
	if translit.Cyrillic(w.text) {
		other, sounds = translit.Latin, translit.Read(w.text)
	}
	x := f.x
	f.candidates = f.candidates[:0]
	for _, s := range sounds {
		f.candidates = x.sounds.Append(f.candidates, terms.Hash(s.Key))
	}
	for _, s := range sounds {
		if how.begins && len(s.Key) >= minSoundKey {
			f.candidates = x.sounds.Append(f.candidates, hashBeginning(s.Key[:min(len(s.Key), maxSoundKey)]))
		}
	}
	f.candidates = f.candidates[:min(len(f.candidates), maxAlike)]
	slices.Sort(f.candidates)
	first := len(f.typos)
	for _, term := range slices.Compact(f.candidates) {
		if text := x.terms.At(term); other(text) {
			if cost := costOfSound(sounds, translit.Read(text), how); cost < costly {
				f.typos = append(f.typos, near{term, cost})
			}
		}
	}
	w.typos = f.typos[first:len(f.typos):len(f.typos)]
}

// costOfSound returns the cost of a term in place of a word by their sounds. An unusual
// reading costs as much as a longer word.
func costOfSound(word, term []translit.Sound, how alike) int {
	cost := costly
	if d, ok := translit.Alike(word, term); ok && (d.Vowels == 0 || !how.exactly) && (!how.usually || translit.IsUsual(word, term)) {
		cost = costOfEdit*d.Vowels + costOfLonger*d.Unusual
	}
	if !how.begins {
		return cost
	}
	if d, ok := translit.Begins(word, term); ok && (d.Vowels == 0 || !how.exactly) {
		cost = min(cost, costOfEdit*d.Vowels+costOfLonger)
	}
	return cost
}

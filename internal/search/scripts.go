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
	layouts := layoutsOf(text)
	f.closed = true
	whole := f.searchLayouts(layouts) || f.searchSounds(folded, true) && f.foundBy(Sound, folded)
	f.closed = false
	if whole || f.searchLayouts(layouts) || f.searchSounds(folded, false) && f.foundBy(Sound, folded) {
		return
	}
	for _, other := range layouts {
		if f.searchSounds(other, false) && f.foundBy(Layout|Sound, other) {
			return
		}
	}
	if f.searchSoundParts(folded, Sound|Spaces) {
		return
	}
	for _, other := range layouts {
		if f.searchSoundParts(other, Layout|Sound|Spaces) {
			return
		}
	}
}

// layoutsOf returns the folded forms of what the keys of a text give in other layouts.
func layoutsOf(text string) (forms []string) {
	for _, other := range translit.Layouts(text) {
		spaced := fold.Fold(other)
		for _, form := range []string{spaced, spelling.JoinPunctuation(other, spaced)} {
			if utf8.RuneCountInString(form) >= minScripts && !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
	}
	return forms
}

func (f *finder) searchLayouts(layouts []string) bool {
	for _, other := range layouts {
		if f.searchFolded(other); f.foundBy(Layout, other) {
			return true
		}
	}
	return false
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

// searchSoundParts is searchSounds for a query in which two words are joined that are
// one in names, or one word is written that is several in names.
func (f *finder) searchSoundParts(folded string, changes Change) bool {
	words := strings.Fields(folded)
	f.lookups = 0
	for i := 0; i+1 < len(words) && !spelling.HasDigit(words[i]+words[i+1]); i++ {
		joined := strings.Join(slices.Concat(words[:i], []string{words[i] + words[i+1]}, words[i+2:]), " ")
		if f.searchSounds(joined, false) && f.foundBy(changes, joined) {
			return true
		}
	}
	for i, word := range words {
		f.closed = true
		for parts := 2; parts <= maxParts && f.total == 0; parts++ {
			f.splitSounds(slices.Clone(words[:i]), word, words[i+1:], parts)
		}
		f.closed = false
	}
	return f.foundBy(changes, folded)
}

// splitSounds splits a word into parts that each sound like a word of names, and
// searches for them between other words.
func (f *finder) splitSounds(before []string, rest string, after []string, left int) {
	if left == 1 {
		if f.isSoundPart(rest) {
			parts := strings.Join(slices.Concat(before, []string{rest}, after), " ")
			if f.searchSounds(parts, true) {
				f.correction.Query = parts
			}
		}
		return
	}
	for at := range rest {
		if at > 0 && f.isSoundPart(rest[:at]) {
			f.splitSounds(append(before, rest[:at]), rest[at:], after, left-1)
		}
	}
}

// maxSoundParts is how many parts of words are compared by sound.
const maxSoundParts = 256

// isSoundPart reports whether a part of a word may be a word: it sounds exactly like
// one. It returns false once something is found, or after too many parts.
func (f *finder) isSoundPart(part string) bool {
	if f.lookups++; f.total > 0 || f.lookups > maxSoundParts {
		return false
	}
	if !spelling.HasDigit(part) && utf8.RuneCountInString(part) < 2 {
		return false
	}
	if f.x.terms.Find(part) != 0 {
		return true
	}
	w := word{text: part}
	f.typos = f.typos[:0]
	f.findAlike(&w, true)
	return len(w.typos) > 0
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

// findSounds sets the terms that sound like a word in the other script, for all
// words of the plan. It reports whether there is any. A Cyrillic word may also be an
// acronym or a word letter by letter.
func (f *finder) findSounds(exactly bool) (found bool) {
	for i := range f.words {
		w := &f.words[i]
		f.findAlike(w, exactly)
		for _, spelled := range slices.Backward(translit.Letters(w.text)) {
			w.acronym = cmp.Or(f.x.findAcronym(spelled), w.acronym)
			if term := f.x.terms.Find(spelled); term != 0 {
				f.setTypo(w, near{term: term})
			}
		}
		f.noteWord(w)
		w.sure = false
		found = found || len(w.typos) > 0 || w.acronym != 0
	}
	if last := len(f.words) - 1; last > 0 && f.words[last].isBarelyBegun() && !f.closed {
		f.words = f.words[:last]
	}
	return found
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

// findAlike sets the terms in the other script that sound like a word, or begin like
// the word that is being typed.
func (f *finder) findAlike(w *word, exactly bool) {
	other, sounds := translit.Cyrillic, translit.ReadRussian(w.text)
	if translit.Cyrillic(w.text) {
		other, sounds = translit.Latin, translit.Read(w.text)
	}
	begins := !exactly && w.open && (len(f.words) > 1 || utf8.RuneCountInString(w.text) >= minSoundPrefix)
	short := len(f.words) == 1 && utf8.RuneCountInString(w.text) <= minScripts
	x := f.x
	f.candidates = f.candidates[:0]
	for _, s := range sounds {
		f.candidates = x.sounds.Append(f.candidates, terms.Hash(s.Key))
		if begins && len(s.Key) >= minSoundKey {
			f.candidates = x.sounds.Append(f.candidates, hashBeginning(s.Key[:min(len(s.Key), maxSoundKey)]))
		}
	}
	slices.Sort(f.candidates)
	f.candidates = slices.Compact(f.candidates)
	first := len(f.typos)
	for _, term := range f.candidates[:min(len(f.candidates), maxAlike)] {
		text := x.terms.At(term)
		if !other(text) {
			continue
		}
		read, cost := translit.Read(text), costly
		if n, ok := translit.Alike(sounds, read); ok && (n == 0 || !exactly) && (!short || translit.IsUsual(sounds, read)) {
			cost = costOfEdit * n
		}
		if begins {
			if n, ok := translit.Begins(sounds, read); ok {
				cost = min(cost, costOfEdit*n+costOfLonger)
			}
		}
		if cost < costly {
			f.typos = append(f.typos, near{term, cost})
		}
	}
	w.typos = f.typos[first:len(f.typos):len(f.typos)]
}

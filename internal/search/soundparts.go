package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gamedex/internal/search/spelling"
	"gamedex/internal/search/translit"
)

// The bounds of comparing a word with the words of documents that have the others by
// sound: how many words the query has at most, and with how many documents.
const (
	maxNearWords = 4
	maxNear      = 128
)

// searchOpenSounds is searchSounds for a query that may be unfinished: of the last word,
// only a letter or two may be typed.
func (f *finder) searchOpenSounds(folded string, changes Change) bool {
	words := strings.Fields(folded)
	if last := len(words) - 1; last > 0 && last < maxNearWords && utf8.RuneCountInString(words[last]) < minScripts {
		begins := func(word, term []translit.Sound) bool {
			_, ok := translit.Cost(word, term, translit.How{Exactly: true, Begins: true})
			return ok
		}
		if f.searchSoundAmong(words, last, begins) && f.foundBy(changes, folded) {
			return true
		}
	}
	return f.searchSounds(folded, false) && f.foundBy(changes, folded)
}

// searchNearSounds finds documents that have all words of a folded query by sound, but for
// one that has a consonant too many, too few or wrong.
func (f *finder) searchNearSounds(folded string, changes Change) bool {
	words := strings.Fields(folded)
	if len(words) < 2 || len(words) > maxNearWords {
		return false
	}
	for i := range slices.Backward(words) {
		if f.searchSoundAmong(words, i, translit.OneConsonant) && f.foundBy(changes, folded) {
			return true
		}
	}
	return false
}

// searchSoundAmong finds documents that have some words by sound, and in place of one of
// them a word near it that is also in one of the first documents with all others.
func (f *finder) searchSoundAmong(words []string, at int, isNear func(word, term []translit.Sound) bool) bool {
	others := slices.Concat(words[:at], words[at+1:])
	if !translit.Cyrillic(words[at]) || !slices.ContainsFunc(others, translit.Cyrillic) {
		return false
	}
	hits := f.firstHits(maxNear, func() { f.searchSounds(strings.Join(others, " "), false) })
	if len(hits) == 0 {
		return false
	}
	f.planQuery(strings.Join(words, " "))
	for i := range f.words {
		if i != at {
			f.findSoundsOf(&f.words[i], false)
		}
	}
	sounds := translit.Read(words[at])
	return f.searchAmong(hits, at, func(text string) int {
		if translit.Latin(text) && isNear(sounds, translit.Read(text)) {
			return costOfEdit
		}
		return costly
	})
}

// searchSoundParts is searchSounds for a query in which two words are joined that are
// one in names, or one word is written that is several in names: parts that each sound like
// a word of names.
func (f *finder) searchSoundParts(folded string, changes Change) bool {
	words := strings.Fields(folded)
	if len(words) > maxSoundWords+1 { // too many even if two are joined
		return false
	}
	f.lookups = 0
	for i := 0; i+1 < len(words) && !spelling.HasDigit(words[i]+words[i+1]); i++ {
		joined := strings.Join(slices.Concat(words[:i], []string{words[i] + words[i+1]}, words[i+2:]), " ")
		if f.searchSounds(joined, false) && f.foundBy(changes|Spaces, joined) {
			return true
		}
	}
	isPart := f.soundParts()
	for i, word := range words {
		f.closed = true
		for n := 2; n <= maxParts && f.total == 0; n++ {
			spelling.EachSplit(f.parts, word, n, func(part, _ string) bool { return part != "" && isPart(part) }, func(parts []string) {
				if reading := strings.Join(slices.Concat(words[:i], parts, words[i+1:]), " "); isPart(parts[n-1]) && f.searchSounds(reading, true) {
					f.correction.Query = reading
				}
			})
		}
		f.closed = false
	}
	return f.foundBy(changes|Spaces, folded)
}

// maxSoundParts is how many parts of words are compared by sound.
const maxSoundParts = 256

// soundParts returns a function that reports whether a part of a word may be a word: it sounds
// exactly like one. It returns false once something is found, or after too many parts.
// The same parts come again when a word is split into more, so it remembers them.
func (f *finder) soundParts() func(part string) bool {
	known := map[string]bool{}
	return func(part string) bool {
		if f.lookups++; f.total > 0 || f.lookups > maxSoundParts {
			return false
		}
		is, seen := known[part]
		if !seen {
			is = f.soundsLikeTerm(part)
			known[part] = is
		}
		return is
	}
}

// soundsLikeTerm reports whether a part of a word is a term or sounds exactly like one.
func (f *finder) soundsLikeTerm(part string) bool {
	if !spelling.HasDigit(part) && utf8.RuneCountInString(part) < 2 {
		return false
	}
	if f.x.terms.Find(part) != 0 {
		return true
	}
	w := word{text: part}
	f.typos = f.typos[:0]
	f.findAlike(&w, translit.How{Exactly: true})
	return len(w.typos) > 0
}

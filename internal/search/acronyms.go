package search

import (
	"unicode/utf8"

	"gamedex/internal/search/acronym"
	"gamedex/internal/search/terms"
	"gamedex/internal/snapshot"
)

// maxAcronym is how many bytes an acronym has at most.
const maxAcronym = utf8.UTFMax * acronym.MaxText

// nameAcronym is an acronym of a name, as the index stores it: in two numbers.
type nameAcronym struct {
	term  uint32
	at    int  // the first word that it stands for
	words int  // how many it stands for
	known bool // see [acronym.Acronym]
}

// knownAcronym is the flag of an acronym's number of words.
const knownAcronym = 1 << 15

// acronymsOf returns the acronyms of a name.
func (x *Index) acronymsOf(name uint32) snapshot.U32s {
	return x.acronyms.Slice(x.acronymsAt.At(int(name)), x.acronymsAt.At(int(name)+1))
}

func acronymAt(list snapshot.U32s, i int) nameAcronym {
	packed := list.At(i + 1)
	return nameAcronym{list.At(i), int(packed >> 16), int(packed & (knownAcronym - 1)), packed&knownAcronym != 0}
}

// isAcronymOf reports whether the word is an acronym of a name. Names must be asked
// for in rising order, from [finder.rankNames] on.
func (w *word) isAcronymOf(name uint32) bool {
	if w.acronymNames.Len() == 0 || w.acronymNames.At(0) > name {
		return false
	}
	// Names are often near each other, so the steps grow from one.
	lo, step := 0, 1
	for lo+step < w.acronymNames.Len() && w.acronymNames.At(lo+step) <= name {
		lo += step
		step *= 2
	}
	for hi := min(lo+step, w.acronymNames.Len()); lo+1 < hi; {
		if mid := lo + (hi-lo)/2; w.acronymNames.At(mid) <= name {
			lo = mid
		} else {
			hi = mid
		}
	}
	w.acronymNames = w.acronymNames.Slice(uint32(lo), uint32(w.acronymNames.Len()))
	return w.acronymNames.At(0) == name
}

// wordsOfAcronym returns how many words of a name an acronym stands for, from word at on;
// 0 if it stands for none.
func (x *Index) wordsOfAcronym(name, term uint32, at int) int {
	list := x.acronymsOf(name)
	for i := 0; i < list.Len(); i += 2 {
		if a := acronymAt(list, i); a.term == term && a.at == at {
			return a.words
		}
	}
	return 0
}

// beginsWithKnown reports whether a known acronym stands for the beginning of a name.
func (x *Index) beginsWithKnown(name, term uint32) bool {
	list := x.acronymsOf(name)
	for i := 0; i < list.Len(); i += 2 {
		if a := acronymAt(list, i); a.term == term && a.at <= 1 && a.known {
			return true
		}
	}
	return false
}

// spellsOut reports whether a name is an acronym and then the words for which it stands,
// as "FTL: Faster Than Light" is.
func (x *Index) spellsOut(name, term uint32) bool {
	words, tokens := 0, x.tokensOf(name)
	for at := 0; at < tokens.Len(); at = nextWord(tokens, at) {
		words++
	}
	return words > 1 && x.wordsOfAcronym(name, term, 1) == words-1
}

func (x *Index) openAcronyms(f *snapshot.File) (err error) {
	if x.acronyms, err = f.U32s(sectionAcronyms); err != nil {
		return err
	}
	if x.acronymsAt, err = f.Offsets(sectionAcronymsAt, x.docs.Len(), x.acronyms.Len()); err != nil {
		return err
	}
	x.acronymTerms = terms.OpenMarked(x.terms, acronymMark)
	for name := range x.docs.Len() {
		if x.acronymsAt.At(name)%2 != 0 {
			return snapshot.Damaged(sectionAcronymsAt, "the acronyms of name %d begin at %d", name, x.acronymsAt.At(name))
		}
	}
	if x.acronyms.Len()%2 != 0 {
		return snapshot.Damaged(sectionAcronyms, "%d numbers are not pairs", x.acronyms.Len())
	}
	for i := 0; i < x.acronyms.Len(); i += 2 {
		if a := acronymAt(x.acronyms, i); !x.acronymTerms.Has(a.term) || a.words == 0 {
			return snapshot.Damaged(sectionAcronyms, "entry %d is term %d for %d words", i, a.term, a.words)
		}
	}
	return nil
}

// findAcronym returns the term of an acronym, or 0.
func (x *Index) findAcronym(text string) uint32 {
	if len(text) > maxAcronym {
		return 0
	}
	return x.acronymTerms.Find(text)
}

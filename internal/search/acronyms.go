package search

import (
	"unicode/utf8"

	"gamedex/internal/search/acronym"
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

func acronymAt(list snapshot.U32s, i int) nameAcronym {
	packed := list.At(i + 1)
	return nameAcronym{list.At(i), int(packed >> 16), int(packed & (knownAcronym - 1)), packed&knownAcronym != 0}
}

// isAcronym reports whether a name has an acronym.
func (x *Index) isAcronym(name, term uint32) bool {
	return term != 0 && x.findAcronymOf(name, term, func(nameAcronym) bool { return true }).words > 0
}

// wordsOfAcronym returns how many words of a name an acronym stands for, from word at on;
// 0 if it stands for none.
func (x *Index) wordsOfAcronym(name, term uint32, at int) int {
	if term == 0 {
		return 0
	}
	return x.findAcronymOf(name, term, func(a nameAcronym) bool { return a.at == at }).words
}

// beginsWithKnown reports whether a known acronym stands for the beginning of a name.
func (x *Index) beginsWithKnown(name, term uint32) bool {
	return x.findAcronymOf(name, term, func(a nameAcronym) bool { return a.at <= 1 && a.known }).words > 0
}

// findAcronymOf returns the first acronym of a name that has a term and fits; one of no words
// if there is none.
func (x *Index) findAcronymOf(name, term uint32, fits func(nameAcronym) bool) nameAcronym {
	list := x.acronyms.Slice(x.acronymsAt.At(int(name)), x.acronymsAt.At(int(name)+1))
	for i := 0; i < list.Len(); i += 2 {
		if list.At(i) == term {
			if a := acronymAt(list, i); fits(a) {
				return a
			}
		}
	}
	return nameAcronym{}
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

package acronym

import (
	"math"

	"gamedex/internal/search/terms"
	"gamedex/internal/snapshot"
)

// Builder collects the acronyms of names and writes them for [Open].
type Builder struct {
	// entries has two numbers for each acronym of a name: its term; and in one number the
	// first word that it stands for, the flag known and, in the low bits, for how many. ends
	// has the end of those of each name.
	entries, ends []uint32
}

// known is the flag of [Acronym.Known] in an acronym's number of words.
const known = 1 << 15

// Add appends the acronyms of the next name, and their terms as the function returns them.
func (b *Builder) Add(found []Acronym, term func(text string) uint32) {
	for _, a := range found {
		packed := uint32(a.At)<<16 | uint32(a.Words)
		if a.Known {
			packed |= known
		}
		if a.At <= math.MaxUint16 {
			b.entries = append(b.entries, term(a.Text), packed)
		}
	}
	b.ends = append(b.ends, uint32(len(b.entries)))
}

// Len returns the length of the written list.
func (b *Builder) Len() int { return len(b.entries) }

// Renumber replaces each term by its number in a list.
func (b *Builder) Renumber(numbers []uint32) {
	for i := 0; i < len(b.entries); i += 2 {
		b.entries[i] = numbers[b.entries[i]]
	}
}

// EachTerm calls visit with the term of each acronym of a name.
func (b *Builder) EachTerm(name int, visit func(term uint32)) {
	first := uint32(0)
	if name > 0 {
		first = b.ends[name-1]
	}
	for ; first < b.ends[name]; first += 2 {
		visit(b.entries[first])
	}
}

// AddTo writes two sections and returns what [Open] reads from them.
func (b *Builder) AddTo(w *snapshot.Writer, sectionAt, section string) Names {
	at, entries := snapshot.AppendU32(make([]byte, 4), b.ends...), snapshot.AppendU32(nil, b.entries...)
	w.Add(sectionAt, at)
	w.Add(section, entries)
	return Names{at, entries}
}

// Names has the acronyms of names, by their terms; no acronym has term 0.
type Names struct {
	at      snapshot.U32s // name → where its acronyms begin
	entries snapshot.U32s // see Builder
}

// Open reads the acronyms of a number of names, whose terms must be among those given. The
// error is a [*snapshot.DamageError].
func Open(f *snapshot.File, sectionAt, section string, names int, among *terms.Marked) (n Names, err error) {
	if n.entries, err = f.U32s(section); err != nil {
		return n, err
	}
	if n.at, err = f.Offsets(sectionAt, names, n.entries.Len()); err != nil {
		return n, err
	}
	for name := range names {
		if n.at.At(name)%2 != 0 {
			return n, snapshot.Damaged(sectionAt, "the acronyms of name %d begin at %d", name, n.at.At(name))
		}
	}
	if n.entries.Len()%2 != 0 {
		return n, snapshot.Damaged(section, "%d numbers are not pairs", n.entries.Len())
	}
	for i := 0; i < n.entries.Len(); i += 2 {
		if term, s := n.entries.At(i), n.spanAt(i); !among.Has(term) || s.words == 0 {
			return n, snapshot.Damaged(section, "entry %d is term %d for %d words", i, term, s.words)
		}
	}
	return n, nil
}

// span is what an acronym of a name stands for: some words from the word at on.
type span struct {
	at, words int
	known     bool // see [Acronym]
}

func (n *Names) spanAt(i int) span {
	packed := n.entries.At(i + 1)
	return span{int(packed >> 16), int(packed & (known - 1)), packed&known != 0}
}

// Has reports whether a name has an acronym.
func (n *Names) Has(name, term uint32) bool {
	return term != 0 && n.find(name, term, func(span) bool { return true }).words > 0
}

// WordsAt returns how many words of a name an acronym stands for, from the word at on; 0 if
// it stands for none.
func (n *Names) WordsAt(name, term uint32, at int) int {
	if term == 0 {
		return 0
	}
	return n.find(name, term, func(s span) bool { return s.at == at }).words
}

// BeginsWithKnown reports whether a known acronym stands for the beginning of a name.
func (n *Names) BeginsWithKnown(name, term uint32) bool {
	return n.find(name, term, func(s span) bool { return s.at <= 1 && s.known }).words > 0
}

// find returns what the first acronym of a name that has a term and fits stands for; no words
// if there is none.
func (n *Names) find(name, term uint32, fits func(span) bool) span {
	list := Names{entries: n.entries.Slice(n.at.At(int(name)), n.at.At(int(name)+1))}
	for i := 0; i < list.entries.Len(); i += 2 {
		if list.entries.At(i) == term {
			if s := list.spanAt(i); fits(s) {
				return s
			}
		}
	}
	return span{}
}

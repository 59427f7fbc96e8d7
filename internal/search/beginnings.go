package search

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minBeginning is the length from which a word may be taken as a mistyped
// beginning of a longer one; shorter beginnings say too little.
const minBeginning = 6

// mistyped appends the terms that have a beginning within the given number of
// edits of word, as spans: all terms with one beginning stand together. The
// last character must be right, or else every word would also stand for all
// that begins with it cut short.
func (x *Index) mistyped(dst []span, word []rune, edits int) []span {
	w := walk{x: x, word: word, edits: edits, spans: dst}
	w.row(0)
	for i := range w.rows[0] {
		w.rows[0][i] = i
	}
	w.descend(span{1, uint32(x.terms.Len())}, "")
	return w.spans
}

// walk goes through the sorted terms as through a tree of characters and
// leaves every branch that cannot come near the word any more.
//
// rows[d][i] is the number of edits between the first d characters of the
// branch and the first i of the word.
type walk struct {
	x     *Index
	word  []rune
	edits int
	path  []rune
	rows  [][]int
	spans []span
}

// descend visits the branches below prefix, with which all terms of s begin.
func (w *walk) descend(s span, prefix string) {
	for s.lo < s.hi {
		term := w.x.terms.At(s.lo)
		if len(term) == len(prefix) {
			s.lo++
			continue
		}
		r, size := utf8.DecodeRuneInString(term[len(prefix):])
		branch := w.x.narrow(s, term[:len(prefix)+size])
		s.lo = branch.hi
		if unicode.IsDigit(r) {
			continue
		}
		w.enter(branch, term[:len(prefix)+size], r)
	}
}

// enter adds one character to the branch and decides how to go on: no later row
// goes below the lowest number of this one, not even by a swap.
func (w *walk) enter(branch span, prefix string, r rune) {
	w.path = append(w.path, r)
	row := w.fill()
	switch {
	case row[len(row)-1] <= w.edits && r == w.word[len(w.word)-1]:
		w.spans = append(w.spans, branch)
	case slices.Min(row) <= w.edits:
		w.descend(branch, prefix)
	}
	w.path = w.path[:len(w.path)-1]
}

// row returns row d, whatever it holds from a branch before.
func (w *walk) row(d int) []int {
	if d == len(w.rows) {
		w.rows = append(w.rows, make([]int, len(w.word)+1))
	}
	return w.rows[d]
}

// fill computes the row of the path, whose last character is new.
func (w *walk) fill() []int {
	d := len(w.path)
	row, above, r := w.row(d), w.rows[d-1], w.path[d-1]
	row[0] = d
	for i := 1; i < len(row); i++ {
		wrong := 1
		if w.word[i-1] == r {
			wrong = 0
		}
		row[i] = min(above[i]+1, row[i-1]+1, above[i-1]+wrong)
		if i > 1 && d > 1 && w.word[i-1] == w.path[d-2] && w.word[i-2] == r {
			row[i] = min(row[i], w.rows[d-2][i-2]+1)
		}
	}
	return row
}

// narrow returns the terms of s, from its first on, that begin with prefix.
func (x *Index) narrow(s span, prefix string) span {
	n := sort.Search(int(s.hi-s.lo), func(i int) bool {
		return !strings.HasPrefix(x.terms.At(s.lo+uint32(i)), prefix)
	})
	return span{s.lo, s.lo + uint32(n)}
}

package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"gamedex/internal/feed"
)

const (
	mostKinds = 200 // of rejected lines; lines of further kinds are only counted
	mostNamed = 10  // further lines of a kind whose numbers are printed
)

// rejections groups rejected lines by their reason, so that a mistake that every line
// has is printed once. Its memory is bounded.
type rejections struct {
	kinds  []*rejection
	by     map[rejectionKey]*rejection
	others int // lines of further kinds
}

type rejectionKey struct{ input, field, reason string }

// rejection is the first line of a kind, and the numbers of some further ones.
type rejection struct {
	input string
	first *feed.LineError
	lines []int
	more  int
}

func (r *rejections) add(input string, why *feed.LineError) {
	key := rejectionKey{input, why.Field, withoutNumbers(why.Reason)}
	kind := r.by[key]
	switch {
	case kind != nil:
		kind.more++
		if len(kind.lines) < mostNamed {
			kind.lines = append(kind.lines, why.Line)
		}
	case len(r.kinds) == mostKinds:
		r.others++
	default:
		if r.by == nil {
			r.by = make(map[rejectionKey]*rejection)
		}
		kind = &rejection{input: input, first: why}
		r.by[key] = kind
		r.kinds = append(r.kinds, kind)
	}
}

// withoutNumbers replaces numbers, which differ between lines with the same mistake.
func withoutNumbers(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if digit := '0' <= s[i] && s[i] <= '9'; !digit {
			b.WriteByte(s[i])
		} else if i == 0 || s[i-1] < '0' || s[i-1] > '9' {
			b.WriteByte('0')
		}
	}
	return b.String()
}

// write prints the rejected lines: a line for each kind, in the order of the first ones.
func (r *rejections) write(w io.Writer) {
	for _, kind := range r.kinds {
		fmt.Fprintf(w, "%s: %v%s\n", kind.input, kind.first, kind.others())
	}
	if r.others > 0 {
		fmt.Fprintf(w, "there are more than %d kinds of rejected lines; further lines, not shown: %s\n", mostKinds, grouped(r.others))
	}
}

// others says how many lines are like the first, and which: "; and 3 more lines like
// it: 4, 5, 9".
func (k *rejection) others() string {
	if k.more == 0 {
		return ""
	}
	var b strings.Builder
	noun := "lines"
	if k.more == 1 {
		noun = "line"
	}
	fmt.Fprintf(&b, "; and %s more %s like it: ", grouped(k.more), noun)
	for i, line := range k.lines {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(line))
	}
	if k.more > len(k.lines) {
		b.WriteString(", …")
	}
	return b.String()
}

// grouped writes 1204 as 1,204.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

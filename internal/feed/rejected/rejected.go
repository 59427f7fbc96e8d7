package rejected

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"gamedex/internal/feed"
)

const (
	maxKinds = 200 // lines of further kinds are only counted
	maxNamed = 10  // further lines of a kind whose numbers are printed
)

// Report groups lines by input, field and reason. The zero Report is empty.
type Report struct {
	Prefix string // of what Write writes

	kinds  []*kind
	by     map[key]*kind
	others int // lines of further kinds
}

type key struct{ input, field, reason string }

// kind is the first line of a kind, and the numbers of some further ones.
type kind struct {
	input string
	first *feed.LineError
	lines []int
	more  int
}

// Add adds a rejected line of an input.
func (r *Report) Add(input string, why *feed.LineError) {
	of := key{input, why.Field, withoutNumbers(why.Reason)}
	known := r.by[of]
	switch {
	case known != nil:
		known.more++
		if len(known.lines) < maxNamed {
			known.lines = append(known.lines, why.Line)
		}
	case len(r.kinds) == maxKinds:
		r.others++
	default:
		if r.by == nil {
			r.by = make(map[key]*kind)
		}
		first := &kind{input: input, first: why}
		r.by[of] = first
		r.kinds = append(r.kinds, first)
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

// Write writes a line for each kind, in the order of the first ones.
func (r *Report) Write(w io.Writer) {
	for _, k := range r.kinds {
		fmt.Fprintf(w, "%s%s: %v%s\n", r.Prefix, k.input, k.first, k.others())
	}
	if r.others > 0 {
		fmt.Fprintf(w, "%sthere are more than %d kinds of such lines; further lines, not shown: %s\n", r.Prefix, maxKinds, grouped(r.others))
	}
}

// others says how many lines are like the first, and which: "; and 3 more lines like
// it: 4, 5, 9".
func (k *kind) others() string {
	if k.more == 0 {
		return ""
	}
	noun, more := "lines", ""
	if k.more == 1 {
		noun = "line"
	}
	if k.more > len(k.lines) {
		more = ", …"
	}
	lines := strings.ReplaceAll(strings.Trim(fmt.Sprint(k.lines), "[]"), " ", ", ")
	return fmt.Sprintf("; and %s more %s like it: %s%s", grouped(k.more), noun, lines, more)
}

// grouped writes 1204 as 1,204.
func grouped(n int) string { return message.NewPrinter(language.English).Sprint(n) }

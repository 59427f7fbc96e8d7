package terms

import (
	"sort"
	"strings"

	"gamedex/internal/snapshot"
)

// Table has the terms by number. Number 0 is "", which is no term.
type Table struct{ snapshot.Strings }

// Open reads a section of sorted terms. The error is a [*snapshot.DamageError].
func Open(f *snapshot.File, section string) (t Table, err error) {
	if t.Strings, err = f.Strings(section); err != nil {
		return t, err
	}
	for i := uint32(1); int(i) < t.Len(); i++ {
		if t.At(i-1) >= t.At(i) {
			return t, snapshot.Damaged(section, "term %d is not above the one before", i)
		}
	}
	return t, nil
}

// OpenList reads a section of term numbers, each perhaps with a flag bit. It refuses 0 and
// numbers that no term has.
func (t Table) OpenList(f *snapshot.File, section string, flag uint32) (snapshot.U32s, error) {
	list, err := f.U32s(section)
	if err != nil {
		return nil, err
	}
	terms := uint32(t.Len())
	worst := uint32(0)
	for i := range list.Len() {
		worst = max(worst, list.At(i)&^flag-1) // term 0 becomes the worst of all
	}
	if list.Len() == 0 || worst < terms-1 {
		return list, nil
	}
	at := 0
	for list.At(at)&^flag-1 != worst {
		at++
	}
	return nil, snapshot.Damaged(section, "entry %d is term %d of %d", at, worst+1, terms)
}

// Find returns the term with a text, or 0.
func (t Table) Find(text string) uint32 {
	term, _ := t.FindPrefix(text)
	return term
}

// FindPrefix is Find that also reports whether any term begins with the text.
func (t Table) FindPrefix(text string) (term uint32, begins bool) {
	at := t.LowerBound(text)
	if int(at) == t.Len() || !strings.HasPrefix(t.At(at), text) {
		return 0, false
	}
	if t.At(at) == text {
		term = at
	}
	return term, true
}

// LowerBound returns the first term that is not less than a text.
func (t Table) LowerBound(text string) uint32 {
	return 1 + uint32(sort.Search(t.Len()-1, func(i int) bool { return t.At(uint32(i)+1) >= text }))
}

// EndOfPrefix returns the end of the terms with a prefix, which start at lo. They are next
// to each other and usually few, so it searches exponentially.
func (t Table) EndOfPrefix(lo uint32, prefix string) uint32 {
	hi, step := uint32(t.Len()), uint32(1)
	for lo+step <= hi && strings.HasPrefix(t.At(lo+step-1), prefix) {
		lo += step
		step *= 2
	}
	n := int(min(hi, lo+step-1) - lo)
	return lo + uint32(sort.Search(n, func(i int) bool { return !strings.HasPrefix(t.At(lo+uint32(i)), prefix) }))
}

package terms

import (
	"math/bits"

	"gamedex/internal/snapshot"
)

// NameSet is a set of names that is emptied in rising order. One bit represents
// a name, and a bit above it represents 64 of those bits, so that the cost of
// emptying the set depends on what is in it and not on the number of all names.
type NameSet struct {
	names []uint64
	above []uint64
}

// NewNameSet returns an empty set of names from 0 to names-1.
func NewNameSet(names int) NameSet {
	words := (names + 63) / 64
	return NameSet{names: make([]uint64, words), above: make([]uint64, (words+63)/64)}
}

// Add adds the names of a list.
func (m *NameSet) Add(list snapshot.U32s) {
	for i := range list.Len() {
		name := list.At(i)
		m.names[name/64] |= 1 << (name % 64)
		m.above[name/4096] |= 1 << (name / 64 % 64)
	}
}

// Has reports whether a name is in the set.
func (m *NameSet) Has(name uint32) bool { return m.names[name/64]>>(name%64)&1 != 0 }

// CountCommon returns how many names are in both sets, which are of the same size.
func (m *NameSet) CountCommon(other *NameSet) (n int) {
	for i, set := range m.names {
		n += bits.OnesCount64(set & other.names[i])
	}
	return n
}

// Clear removes all names.
func (m *NameSet) Clear() {
	for i, above := range m.above {
		m.above[i] = 0
		for ; above != 0; above &= above - 1 {
			m.names[64*i+bits.TrailingZeros64(above)] = 0
		}
	}
}

// Drain calls visit with every name, in rising order, and removes them.
func (m *NameSet) Drain(visit func(name uint32)) {
	for i, above := range m.above {
		m.above[i] = 0
		for ; above != 0; above &= above - 1 {
			word := 64*i + bits.TrailingZeros64(above)
			set := m.names[word]
			m.names[word] = 0
			for ; set != 0; set &= set - 1 {
				visit(uint32(64*word + bits.TrailingZeros64(set)))
			}
		}
	}
}

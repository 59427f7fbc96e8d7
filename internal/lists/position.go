package lists

import (
	"cmp"
	"math"
	"strings"

	"gamedex/internal/catalog"
)

// Position is the position of an item in a sorted list. Lists are sorted by Number, Text,
// Platform and ID, ascending. A list that is sorted the other way round has
// negated numbers.
type Position struct {
	Number   int64
	Text     string
	Platform catalog.Platform
	ID       string
}

// Compare returns the order of two positions: negative if p comes first.
func (p Position) Compare(o Position) int {
	return cmp.Or(
		cmp.Compare(p.Number, o.Number),
		strings.Compare(p.Text, o.Text),
		cmp.Compare(p.Platform, o.Platform),
		strings.Compare(p.ID, o.ID),
	)
}

// HighestFirst returns the Number of an item in a list that begins with the highest f.
// NaN comes last.
func HighestFirst(f float64) int64 {
	if f != f {
		return math.MaxInt64
	}
	bits := int64(math.Float64bits(f + 0)) // -0 becomes 0
	if bits < 0 {
		bits ^= math.MaxInt64 // negative numbers ascend with their absolute value
	}
	return -1 - bits
}

package lists

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"strings"

	"gamedex/internal/catalog"
)

// ErrCursor says that a text is not a cursor of a list.
var ErrCursor = errors.New("not a cursor of this list")

const (
	cursorVersion   = 1
	maxCursor       = 16 << 10 // bytes of text, more than any title needs
	cursorHeadBytes = 1 + 4 + 8 + 1
)

// Cursor returns the cursor of a position. list describes the list: what it consists of and
// how it is sorted.
func Cursor(p Position, list string) string {
	b := make([]byte, 5, cursorHeadBytes+len(p.Text)+len(p.ID)+binary.MaxVarintLen64)
	b = binary.BigEndian.AppendUint64(b, uint64(p.Number))
	b = append(b, byte(p.Platform))
	b = catalog.AppendString(b, p.Text)
	b = append(b, p.ID...)
	b[0] = cursorVersion
	binary.BigEndian.PutUint32(b[1:], cursorSum(b[5:], list))
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseCursor returns the position that a cursor names. A text that is not what [Cursor]
// returned for the same list is an [ErrCursor].
func ParseCursor(text, list string) (Position, error) {
	if len(text) > maxCursor {
		return Position{}, ErrCursor
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) < cursorHeadBytes || b[0] != cursorVersion || binary.BigEndian.Uint32(b[1:]) != cursorSum(b[5:], list) {
		return Position{}, ErrCursor
	}
	p := Position{Number: int64(binary.BigEndian.Uint64(b[5:])), Platform: catalog.Platform(b[13])}
	length, n := binary.Uvarint(b[cursorHeadBytes:])
	rest := b[cursorHeadBytes:][max(n, 0):]
	if n <= 0 || length > uint64(len(rest)) {
		return Position{}, ErrCursor
	}
	p.Text, p.ID = string(rest[:length]), string(rest[length:])
	return p, nil
}

// cursorSum returns a checksum: it finds cursors that were cut or belong to another list.
// It is not a signature: a forged cursor only leads to a page that is public to its caller.
func cursorSum(position []byte, list string) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(position), crc32.IEEETable, []byte(list))
}

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

// Top selects the first items of a list from all of its items, in any order (top-k).
type Top[T any] struct {
	items   []T // once there are limit of them, a heap with the last one on top
	limit   int
	compare func(a, b T) int
}

// NewTop returns a Top of at most limit items. compare is the order of the list, which
// must be total.
func NewTop[T any](limit int, compare func(a, b T) int) *Top[T] {
	return &Top[T]{limit: limit, compare: compare}
}

// Add adds an item of the list.
func (t *Top[T]) Add(item T) {
	switch {
	case len(t.items) < t.limit:
		t.items = append(t.items, item)
		if len(t.items) == t.limit {
			for i := t.limit/2 - 1; i >= 0; i-- {
				t.sink(i)
			}
		}
	case t.limit > 0 && t.compare(item, t.items[0]) < 0:
		t.items[0] = item
		t.sink(0)
	}
}

// sink moves item i down the heap until none below it comes later.
func (t *Top[T]) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(t.items) {
			return
		}
		if child+1 < len(t.items) && t.compare(t.items[child], t.items[child+1]) < 0 {
			child++
		}
		if t.compare(t.items[child], t.items[i]) < 0 {
			return
		}
		t.items[i], t.items[child] = t.items[child], t.items[i]
		i = child
	}
}

// Last returns the last item of the selected ones; full is false while there are fewer than
// the limit. An item that comes after it will not be selected.
func (t *Top[T]) Last() (item T, full bool) {
	if len(t.items) == 0 || len(t.items) < t.limit {
		return item, false
	}
	return t.items[0], true
}

// Sorted returns the selected items in the order of the list. The Top must not be used
// afterwards.
func (t *Top[T]) Sorted() []T {
	slices.SortFunc(t.items, t.compare)
	return t.items
}

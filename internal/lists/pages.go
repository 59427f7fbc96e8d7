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
	"gamedex/internal/index"
)

// ErrCursor says that a text is not a cursor of a list.
var ErrCursor = errors.New("not a cursor of this list")

const (
	cursorVersion = 1
	maxCursor     = 16 << 10 // bytes of text, more than any title needs
)

// Seal appends the text of a cursor for something that list describes: letters, digits, - and _. Its
// checksum finds texts that were cut or altered, or belong to another list. It is not a signature: a
// forged cursor only leads to what is public to its caller.
func Seal(dst, cursor []byte, list string) []byte {
	sum := crc32.Update(crc32.ChecksumIEEE(cursor), crc32.IEEETable, []byte(list))
	b := append(make([]byte, 0, 64), cursorVersion)
	return base64.RawURLEncoding.AppendEncode(dst, append(binary.BigEndian.AppendUint32(b, sum), cursor...))
}

// Unseal returns what the text of a cursor was made of. A text that is not what [Seal] appended for the
// same list is an [ErrCursor].
func Unseal(text, list string) ([]byte, error) {
	const head = 1 + crc32.Size
	if len(text) > maxCursor {
		return nil, ErrCursor
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < head || string(Seal(nil, b[head:], list)) != text {
		return nil, ErrCursor
	}
	return b[head:], nil
}

// Cursor returns the cursor of a position, "" for nil. list describes the list: what it consists of and
// how it is sorted.
func Cursor(p *Position, list string) string {
	if p == nil {
		return ""
	}
	b := append(binary.BigEndian.AppendUint64(nil, uint64(p.Number)), byte(p.Platform))
	return string(Seal(nil, append(catalog.AppendString(b, p.Text), p.ID...), list))
}

// ParseCursor returns the position that a cursor names. A text that is not what [Cursor]
// returned for the same list is an [ErrCursor].
func ParseCursor(text, list string) (Position, error) {
	const fixed = 8 + 1
	b, err := Unseal(text, list)
	if err != nil || len(b) < fixed {
		return Position{}, ErrCursor
	}
	p := Position{Number: int64(binary.BigEndian.Uint64(b)), Platform: catalog.Platform(b[8])}
	length, n := binary.Uvarint(b[fixed:])
	rest := b[fixed:][max(n, 0):]
	if n <= 0 || length > uint64(len(rest)) {
		return Position{}, ErrCursor
	}
	p.Text, p.ID = string(rest[:length]), string(rest[length:])
	return p, nil
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

// Item is a card of a list, with what it is sorted by.
type Item struct {
	Number int64
	Text   string
	Rank   uint32 // of the card by store and id, see [index.Columns]
	Card   uint32 // its number
}

// Compare returns the order of two items of a list.
func (i Item) Compare(o Item) int {
	if order := cmp.Compare(i.Number, o.Number); order != 0 {
		return order
	}
	return cmp.Or(strings.Compare(i.Text, o.Text), cmp.Compare(i.Rank, o.Rank))
}

// Position returns the position of the item.
func (i Item) Position(s *index.Snapshot) Position {
	c := s.Card(int(i.Card))
	return Position{Number: i.Number, Text: i.Text, Platform: c.Platform(), ID: c.ID()}
}

// IsAfter reports whether the item comes after a position; nil is before all.
func (i Item) IsAfter(p *Position, s *index.Snapshot) bool {
	return p == nil || i.Number > p.Number || i.Number == p.Number && i.Position(s).Compare(*p) > 0
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
	items   []T // at most twice the limit; once they were sorted, the first limit of them are
	limit   int
	sorted  bool
	compare func(a, b T) int
}

// NewTop returns a Top of at most limit items, one or more. compare is the order of the list, which
// must be total.
func NewTop[T any](limit int, compare func(a, b T) int) *Top[T] {
	return &Top[T]{limit: limit, compare: compare}
}

// Add adds an item of the list.
func (t *Top[T]) Add(item T) {
	if t.sorted && t.compare(item, t.items[t.limit-1]) > 0 {
		return
	}
	if t.items = append(t.items, item); len(t.items) == 2*t.limit {
		t.Sorted()
	}
}

// Last returns an item that comes after all that will be selected, or is the last of them; full is
// false as long as none is known.
func (t *Top[T]) Last() (item T, full bool) {
	if t.sorted {
		item = t.items[t.limit-1]
	}
	return item, t.sorted
}

// Sorted returns the selected items in the order of the list.
func (t *Top[T]) Sorted() []T {
	slices.SortFunc(t.items, t.compare)
	t.sorted = len(t.items) >= t.limit
	t.items = t.items[:min(len(t.items), t.limit)]
	return t.items
}

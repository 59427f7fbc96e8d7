package snapshot

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
	"unsafe"
)

// StringsWriter numbers strings; equal ones get the same number. Number 0 is
// always the empty string.
type StringsWriter struct {
	numbers map[string]uint32
	table   Strings
	err     error
}

// NewStringsWriter returns a table that holds only the empty string.
func NewStringsWriter() *StringsWriter {
	return &StringsWriter{numbers: map[string]uint32{"": 0}, table: Strings{offsets: make(U32s, 8)}}
}

// ResumeStrings returns a table that continues after the strings of s. The block of s
// must not change while the table is in use.
func ResumeStrings(s Strings) *StringsWriter {
	t := &StringsWriter{
		numbers: make(map[string]uint32, s.Len()),
		table:   Strings{slices.Clone(s.offsets), slices.Clone(s.text)},
	}
	for i := range s.Len() {
		t.numbers[s.At(uint32(i))] = uint32(i)
	}
	return t
}

// Size returns the size of the table in a file, in bytes.
func (t *StringsWriter) Size() int { return 4 + len(t.table.offsets) + len(t.table.text) }

// Number returns the number of s: 0 for "", or the next free one if s is new.
func (t *StringsWriter) Number(s string) uint32 {
	if n, ok := t.numbers[s]; ok {
		return n
	}
	switch {
	case !utf8.ValidString(s):
		t.err = cmp.Or(t.err, fmt.Errorf("string %q is not valid UTF-8", s))
		return 0
	case len(t.table.text)+len(s) > math.MaxUint32:
		t.err = cmp.Or(t.err, errors.New("more than 4 GiB of strings"))
		return 0
	}
	n := uint32(t.table.Len())
	t.numbers[s] = n
	t.table.text = append(t.table.text, s...)
	t.table.offsets = AppendU32(t.table.offsets, uint32(len(t.table.text)))
	return n
}

// AddTo adds the table to w as one section: the number of strings, their offsets,
// their bytes. It returns an error if a string was not valid UTF-8 or the table is
// larger than 4 GiB.
func (t *StringsWriter) AddTo(w *Writer, name string) error {
	if t.err != nil {
		return fmt.Errorf("write section %q: %w", name, t.err)
	}
	w.Add(name, slices.Concat(AppendU32(nil, uint32(t.table.Len())), t.table.offsets, t.table.text))
	return nil
}

// Strings returns the table as it is so far.
func (t *StringsWriter) Strings() Strings { return t.table }

// Strings is a checked table of strings inside a file.
type Strings struct {
	offsets U32s
	text    []byte
}

// Strings returns a section that [StringsWriter.AddTo] wrote.
func (f *File) Strings(name string) (Strings, error) {
	b, err := f.Section(name)
	if err != nil {
		return Strings{}, err
	}
	if len(b) < 12 {
		return Strings{}, Damaged(name, "%d bytes are too few for a string table", len(b))
	}
	count := int64(U32s(b).At(0))
	textAt := 4 + 4*(count+1)
	if count < 1 || textAt > int64(len(b)) {
		return Strings{}, Damaged(name, "%d strings do not fit into %d bytes", count, len(b))
	}
	s := Strings{offsets: U32s(b[4:textAt]), text: b[textAt:]}
	if err := checkOffsets(name, s.offsets, int(count), len(s.text)); err != nil {
		return Strings{}, err
	}
	if s.offsets.At(1) != 0 {
		return Strings{}, Damaged(name, "string 0 is not empty")
	}
	// Check every string at once: the whole is valid UTF-8 and no string begins
	// inside a character.
	if !utf8.Valid(s.text) {
		return Strings{}, Damaged(name, "text is not valid UTF-8")
	}
	for i := range s.offsets.Len() {
		if at := s.offsets.At(i); int(at) < len(s.text) && !utf8.RuneStart(s.text[at]) {
			return Strings{}, Damaged(name, "string %d begins inside a character", i)
		}
	}
	return s, nil
}

// checkOffsets checks the conditions of [File.Offsets].
func checkOffsets(section string, u U32s, rows, total int) error {
	if u.Len() != rows+1 {
		return Damaged(section, "%d offsets, want %d", u.Len(), rows+1)
	}
	last := uint32(0)
	for i := range u.Len() {
		at := u.At(i)
		if at < last || i == 0 && at != 0 {
			return Damaged(section, "offset %d is %d, after %d", i, at, last)
		}
		last = at
	}
	if uint64(last) != uint64(total) {
		return Damaged(section, "offsets end at %d, want %d", last, total)
	}
	return nil
}

// Len returns the number of strings, including the empty one.
func (s Strings) Len() int { return max(0, s.offsets.Len()-1) }

// At returns string i without copying it. It panics if i is out of range, as a slice
// does.
func (s Strings) At(i uint32) string {
	lo, hi := s.offsets.At(int(i)), s.offsets.At(int(i)+1)
	b := s.text[lo:hi]
	// The block never changes after Open, so a string may share its memory.
	// Copying each string that a search compares would cost more than the
	// comparison. No other code does this.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// U16s, U32s and U64s are sections of little-endian numbers of one size. At panics if
// the index is out of range, as a slice does.
type (
	U16s []byte
	U32s []byte
	U64s []byte
)

// Len returns the number of numbers.
func (u U16s) Len() int { return len(u) / 2 }

// At returns number i.
func (u U16s) At(i int) uint16 { return binary.LittleEndian.Uint16(u[2*i:]) }

// Len returns the number of numbers.
func (u U32s) Len() int { return len(u) / 4 }

// At returns number i.
func (u U32s) At(i int) uint32 { return binary.LittleEndian.Uint32(u[4*i:]) }

// Slice returns the numbers from lo up to, but not including, hi.
func (u U32s) Slice(lo, hi uint32) U32s { return u[4*int(lo) : 4*int(hi)] }

// Len returns the number of numbers.
func (u U64s) Len() int { return len(u) / 8 }

// At returns number i.
func (u U64s) At(i int) uint64 { return binary.LittleEndian.Uint64(u[8*i:]) }

// AppendU16 appends v as [U16s] reads it.
func AppendU16(dst []byte, v uint16) []byte { return binary.LittleEndian.AppendUint16(dst, v) }

// AppendU32 appends numbers as [U32s] reads them.
func AppendU32(dst []byte, list ...uint32) []byte {
	for _, v := range list {
		dst = binary.LittleEndian.AppendUint32(dst, v)
	}
	return dst
}

// AppendU64 appends numbers as [U64s] reads them.
func AppendU64(dst []byte, list ...uint64) []byte {
	for _, v := range list {
		dst = binary.LittleEndian.AppendUint64(dst, v)
	}
	return dst
}

// U16s returns a section as numbers.
func (f *File) U16s(name string) (U16s, error) { return f.Records(name, 2) }

// U32s returns a section as numbers.
func (f *File) U32s(name string) (U32s, error) { return f.Records(name, 4) }

// U64s returns a section as numbers.
func (f *File) U64s(name string) (U64s, error) { return f.Records(name, 8) }

// Records returns a section of records of one size.
func (f *File) Records(name string, size int) ([]byte, error) {
	b, err := f.Section(name)
	if err != nil {
		return nil, err
	}
	if len(b)%size != 0 {
		return nil, Damaged(name, "%d bytes are not a multiple of %d", len(b), size)
	}
	return b, nil
}

// Offsets returns a section as a table of rows+1 offsets that divides total elements
// among rows: it begins with 0, never falls and ends with total.
func (f *File) Offsets(name string, rows, total int) (U32s, error) {
	u, err := f.U32s(name)
	if err == nil {
		err = checkOffsets(name, u, rows, total)
	}
	return u, err
}

package snapshot

import "encoding/binary"

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

// AppendU32 appends v as [U32s] reads it.
func AppendU32(dst []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(dst, v) }

// AppendU64 appends v as [U64s] reads it.
func AppendU64(dst []byte, v uint64) []byte { return binary.LittleEndian.AppendUint64(dst, v) }

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

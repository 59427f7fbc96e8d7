package deflate

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

const (
	// maxPiece is the longest text that is looked at as one; longer ones are
	// cut.
	maxPiece = 512 << 10
	// maxMarks is how many marks are kept for one piece; the rest are dropped.
	maxMarks = 16 << 10
	// maxSequences is how many matches a block has, but for the last that is
	// found, which may be cut into many.
	maxSequences = 6 << 10

	// tableBits is the size of the table of slots: room for what begins in 32
	// KiB of a text of which each few bytes are marked.
	tableBits = 13

	// Size is the memory that a Writer holds, in bytes, beside the text that
	// it is given.
	Size = 352 << 10
)

// beginning is where a slot began last.
type beginning struct{ slot, place uint32 }

// mark is a place of the stream where something begins that began at an
// earlier place too, perhaps. Places count from the beginning of the stream,
// modulo 1<<32.
type mark struct{ at, earlier uint32 }

// Writer compresses a text to the gzip format. Make one with [NewWriter]; it
// may be used again and again after Reset, by one goroutine at a time.
type Writer struct {
	out   output
	block block
	plan  planner

	base uint32 // place of the text's first byte in the stream
	kept int    // bytes at the beginning of the text that are compressed already
	size uint32 // modulo 1<<32, as the format has it
	crc  uint32
	// table holds beginnings, each where its slot leads; another slot with the
	// same place in it takes it.
	table [1 << tableBits]beginning
	clean bool // the table is empty
	marks []mark
}

// NewWriter makes a Writer that writes to w.
func NewWriter(w io.Writer) *Writer {
	z := &Writer{marks: make([]mark, 0, maxMarks)}
	z.plan.fixed = fixedLengths()
	z.block.sequences = make([]sequence, 0, maxSequences+maxPiece/longest+1)
	z.Reset(w)
	return z
}

// header is that of RFC 1952: deflate, no name, no time, fastest way (4),
// unknown system (255).
const header = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"

// Reset starts another stream, whatever became of the last.
func (z *Writer) Reset(w io.Writer) {
	z.out.reset(w)
	z.out.bytes([]byte(header))
	if !z.clean || len(z.marks) > 0 {
		clear(z.table[:])
		z.clean = true
	}
	// What began at place 0, where the table begins, is out of reach.
	z.base, z.kept, z.size, z.crc = window+1, 0, 0, 0
	z.marks, z.plan.ready = z.marks[:0], false
}

// Mark says that at text[at], text being what Compress is given next, something
// begins that is likely to have begun with the same bytes at the last mark of
// the same slot. Any number is a slot. Marks should be set in the order of
// their places.
func (z *Writer) Mark(at int, slot uint32) {
	place := z.base + uint32(at)
	z.note(mark{place, z.begin(slot, place)})
}

// MarkOr is Mark for what has two slots: other counts, and begins here too,
// where slot did not begin yet or too long ago to be of use.
func (z *Writer) MarkOr(at int, slot, other uint32) {
	place := z.base + uint32(at)
	before := z.begin(slot, place)
	if place-before > window {
		before = z.begin(other, place)
	}
	z.note(mark{place, before})
}

// begin notes that a slot begins at a place, and gives the place where it began
// before; 0 if that is forgotten.
func (z *Writer) begin(slot, place uint32) (before uint32) {
	last := &z.table[slot*0x9e3779b1>>(32-tableBits)] // neighbours are spread
	if last.slot == slot {
		before = last.place
	}
	*last = beginning{slot, place}
	return before
}

func (z *Writer) note(m mark) {
	if len(z.marks) < cap(z.marks) {
		z.marks = append(z.marks, m)
	}
}

// Compress writes the text to the stream, but for the bytes at its beginning
// that the last call returned: those are in it already, and must not have been
// changed. It moves the last 32 KiB of the text to the front and returns them;
// the next piece is to be appended there. Its error is that of the writer
// below.
func (z *Writer) Compress(text []byte) ([]byte, error) {
	z.clean = false
	if len(text) < z.kept {
		return text, fmt.Errorf("compress a text of %d bytes: it must begin with the %d that the last call returned", len(text), z.kept)
	}
	fresh := text[z.kept:]
	z.crc = crc32.Update(z.crc, crc32.IEEETable, fresh)
	z.size += uint32(len(fresh))
	for start := z.kept; start < len(text); start += maxPiece {
		z.piece(text[:min(start+maxPiece, len(text))], start)
	}
	z.marks, z.block.text = z.marks[:0], nil
	if over := len(text) - window; over > 0 {
		text = text[:copy(text, text[over:])]
		z.base += uint32(over)
	}
	z.kept = len(text)
	return text, z.out.err
}

// Close ends the stream. It does not close the writer below.
func (z *Writer) Close() error {
	z.out.put(endOfStream, 10)
	z.out.align()
	var tail [8]byte
	binary.LittleEndian.PutUint32(tail[:4], z.crc)
	binary.LittleEndian.PutUint32(tail[4:], z.size)
	z.out.bytes(tail[:])
	z.out.flush()
	return z.out.err
}

// piece compresses text[start:], with what stands before as history.
func (z *Writer) piece(text []byte, start int) {
	b, marks := &z.block, z.marks
	for b.begin(text, start); ; b.begin(text, b.end) {
		marks = marks[b.fill(marks, z.base):]
		if len(marks) == 0 {
			b.end = len(text)
			z.plan.write(&z.out, b)
			return
		}
		z.plan.write(&z.out, b)
	}
}

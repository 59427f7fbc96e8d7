package deflate

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

const (
	// maxSequences is how many matches a block has; the rest are dropped.
	maxSequences = 16 << 10

	// tableBits is the size of the table of keys: enough for 32 KiB of text
	// with a hint every few bytes.
	tableBits = 13

	// Size is the memory that a Writer uses, in bytes, besides the text.
	Size = 256 << 10
)

// Hint says that a text probably starts with the same bytes as the text at the
// previous hint with its key. Any number can be a key.
type Hint struct {
	At  int32 // offset of the text
	Key uint32
	// Other, if it is not 0, is the key to use if there is no previous hint with Key, or
	// only one that is out of reach. [Repeats] means that the hint does not become the
	// previous one with its key.
	Other uint32
}

// Repeats is the Other of a hint for a text that only repeats an earlier one.
const Repeats = 1<<32 - 1

// Writer compresses a text to the gzip format. Create it with [NewWriter]. It
// can be reused after Reset. It is not safe for concurrent use.
type Writer struct {
	out   output
	block block
	plan  planner

	base uint32 // offset of the text's first byte in the stream
	kept int    // bytes at the start of the text that are already compressed
	size uint32 // modulo 1<<32, as in the format
	crc  uint32
	// table has the offset of the last hint with a key, at the hash of the key.
	table [1 << tableBits]uint32
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer {
	z := &Writer{}
	z.plan.fixed = fixedLengths()
	z.block.sequences = make([]sequence, 0, maxSequences)
	z.Reset(w)
	return z
}

// header is that of RFC 1952: deflate, no name, no time, fastest way (4),
// unknown system (255).
const header = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"

// Reset discards the state of z and starts a new stream that goes to w.
func (z *Writer) Reset(w io.Writer) {
	z.out.reset(w)
	z.out.writeBytes([]byte(header))
	clear(z.table[:])
	// An empty entry of the table means offset 0, which must be out of reach.
	z.base, z.kept, z.size, z.crc = window+1, 0, 0, 0
	z.block.reset(0)
	z.plan.reusable = false
}

// AddHints adds hints for a part of the text that Compress is called with next.
// text is that text as far as it is known, and must not change until then. The
// offsets of the hints count from start, and should rise.
func (z *Writer) AddHints(text []byte, start int, hints []Hint) {
	b := &z.block
	b.extendText(text)
	for i, h := range hints {
		at := start + int(h.At)
		offset := z.base + uint32(at)
		last := z.entry(h.Key)
		earlier := *last
		if h.Other != Repeats {
			*last = offset
			if h.Other != 0 && offset-earlier > window {
				last = z.entry(h.Other)
				earlier, *last = *last, offset
			}
		}
		// Of several hints that are covered by the last match, use the last: it
		// belongs to the part in which the match ended.
		if at < b.end && i+1 < len(hints) && start+int(hints[i+1].At) <= b.end {
			continue
		}
		b.findMatch(at, offset-earlier)
	}
}

// entry returns the table's entry for a key.
func (z *Writer) entry(key uint32) *uint32 {
	return &z.table[key*0x9e3779b1>>(32-tableBits)] // spreads neighbouring keys
}

// Compress writes text to the stream, without the bytes at its start that the
// previous call returned: those are already compressed and must not change.
// Compress moves the last 32 KiB of text to its front and returns them; append
// the next chunk there. The error is that of the underlying writer.
func (z *Writer) Compress(text []byte) ([]byte, error) {
	if least := max(z.kept, z.block.end); len(text) < least {
		return text, fmt.Errorf("compress a text of %d bytes: %d of it are compressed or have matches", len(text), least)
	}
	fresh := text[z.kept:]
	z.crc = crc32.Update(z.crc, crc32.IEEETable, fresh)
	z.size += uint32(len(fresh))
	z.block.extendText(text)
	z.block.end = len(text)
	z.plan.writeBlock(&z.out, &z.block)
	if over := len(text) - window; over > 0 {
		text = text[:copy(text, text[over:])]
		z.base += uint32(over)
	}
	z.kept = len(text)
	z.block.reset(z.kept)
	return text, z.out.err
}

// Close ends the stream. It does not close the underlying writer.
func (z *Writer) Close() error {
	z.out.putBits(endOfStream, 10)
	z.out.align()
	var tail [8]byte
	binary.LittleEndian.PutUint32(tail[:4], z.crc)
	binary.LittleEndian.PutUint32(tail[4:], z.size)
	z.out.writeBytes(tail[:])
	z.out.flush()
	return z.out.err
}

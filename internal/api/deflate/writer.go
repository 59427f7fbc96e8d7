package deflate

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

const (
	// maxChunk is the longest text that is compressed at once; Compress cuts
	// longer ones.
	maxChunk = 512 << 10
	// maxHints is how many hints are kept for one chunk; the rest are dropped.
	maxHints = 16 << 10
	// maxSequences is how many matches a block has, except for its last match,
	// which may be split into many.
	maxSequences = 6 << 10

	// tableBits is the size of the table of keys: enough for 32 KiB of text
	// with a hint every few bytes.
	tableBits = 13

	// Size is the memory that a Writer uses, in bytes, besides the text.
	Size = 320 << 10
)

// candidate is a pair of offsets in the stream where the same bytes may follow.
// Offsets count from the start of the stream, modulo 1<<32.
type candidate struct{ at, earlier uint32 }

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
	clean bool // the table is empty
	hints []candidate
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer {
	z := &Writer{hints: make([]candidate, 0, maxHints)}
	z.plan.fixed = fixedLengths()
	z.block.sequences = make([]sequence, 0, maxSequences+maxChunk/longest+1)
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
	if !z.clean || len(z.hints) > 0 {
		clear(z.table[:])
		z.clean = true
	}
	// An empty entry of the table means offset 0, which must be out of reach.
	z.base, z.kept, z.size, z.crc = window+1, 0, 0, 0
	z.hints, z.plan.reusable = z.hints[:0], false
}

// AddHints adds hints for the text that Compress is called with next. Their offsets
// count from start. Hints should come in the order of their offsets.
func (z *Writer) AddHints(start int, hints []Hint) {
	hints = hints[:min(len(hints), cap(z.hints)-len(z.hints))]
	first := z.base + uint32(start)
	for _, h := range hints {
		c := candidate{at: first + uint32(h.At)}
		last := z.entry(h.Key)
		c.earlier = *last
		if h.Other != Repeats {
			*last = c.at
			if h.Other != 0 && c.at-c.earlier > window {
				last = z.entry(h.Other)
				c.earlier, *last = *last, c.at
			}
		}
		z.hints = append(z.hints, c)
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
	z.clean = false
	if len(text) < z.kept {
		return text, fmt.Errorf("compress a text of %d bytes: it must begin with the %d that the last call returned", len(text), z.kept)
	}
	fresh := text[z.kept:]
	z.crc = crc32.Update(z.crc, crc32.IEEETable, fresh)
	z.size += uint32(len(fresh))
	for start := z.kept; start < len(text); start += maxChunk {
		chunk, b, hints := text[:min(start+maxChunk, len(text))], &z.block, z.hints
		// One block, or several if one cannot hold all matches.
		for b.reset(chunk, start); ; b.reset(chunk, b.end) {
			hints = hints[b.addMatches(hints, z.base):]
			if len(hints) == 0 {
				b.end = len(chunk)
				z.plan.writeBlock(&z.out, b)
				break
			}
			z.plan.writeBlock(&z.out, b)
		}
	}
	z.hints, z.block.text = z.hints[:0], nil
	if over := len(text) - window; over > 0 {
		text = text[:copy(text, text[over:])]
		z.base += uint32(over)
	}
	z.kept = len(text)
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

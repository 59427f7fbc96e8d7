package deflate

import (
	"encoding/binary"
	"math/bits"
)

// The alphabets of RFC 1951, section 3.2.5.
const (
	endOfBlock   = 256
	firstLength  = 257 // symbol of the shortest match
	literalCodes = 286
	lastLength   = 28 // above firstLength: 258, which has a symbol of its own
	lengthCut    = 2  // see bucket
	distCodes    = 30
	distCut      = 1

	shortest = 3
	longest  = 258
	// window is how far back a match may refer.
	window = 32 << 10
)

// bucket gives the symbol of a value and how many low bits of the value follow
// it as they are. Lengths and distances are cut alike: each power of two into
// 1<<cut symbols.
func bucket(v uint32, cut int) (symbol uint32, extra int) {
	extra = max(bits.Len32(v)-1-cut, 0)
	return uint32(extra)<<cut + v>>extra, extra
}

// lengthBucket is bucket for the length of a match.
func lengthBucket(length int) (symbol uint32, extra int) {
	if length == longest {
		return lastLength, 0
	}
	return bucket(uint32(length-shortest), lengthCut)
}

// sequence is a run of literals and the match behind it.
type sequence struct {
	literals uint32
	length   uint16 // 3 to 258
	back     uint16 // distance - 1
}

// block is what becomes one block of the stream: a part of a text as literals
// and matches, and how often each symbol occurs in it.
type block struct {
	text       []byte // with its history
	start, end int    // of the part
	sequences  []sequence

	literals [literalCodes]uint32
	dists    [distCodes]uint32
}

// begin empties the block and puts it at a place of text.
func (b *block) begin(text []byte, start int) {
	b.text, b.start, b.end = text, start, start
	b.sequences = b.sequences[:0]
}

// leastFound is the shortest match that is worth its bits.
const leastFound = 4

// fill adds the matches that the marks lead to, each with the literals before
// it, while there is room. It returns how many of the marks are done with. The
// first byte of the text has place base.
//
// A mark is asked for a distance and no more: whatever it says, the bytes at
// that distance are compared. A match begins before its mark if bytes agree
// there too, and where the last match has covered the mark, behind that.
func (b *block) fill(marks []mark, base uint32) int {
	text, end := b.text, b.end
	i := 0
	for ; i < len(marks) && len(b.sequences) < maxSequences; i++ {
		at := int(marks[i].at - base)
		if at < end {
			// Of several that are covered, the last one marks what the match
			// has ended in.
			for i+1 < len(marks) && int(marks[i+1].at-base) <= end {
				i++
			}
			at = end
		}
		back := marks[i].at - marks[i].earlier - 1
		if at >= len(text) || back >= uint32(min(at, window)) {
			continue
		}
		from := at - 1 - int(back)
		n := common(text[at:], text[from:])
		if n < leastFound {
			continue
		}
		for at > end && from > 0 && text[at-1] == text[from-1] {
			at, from, n = at-1, from-1, n+1
		}
		b.add(at, n, uint16(back))
		end = b.end
	}
	return i
}

// add adds the literals up to a place, and a match of n bytes there. One that
// is too long for the format becomes several.
func (b *block) add(at, n int, back uint16) {
	run := uint32(at - b.end)
	b.end = at + n
	for n > longest {
		length := min(longest, n-shortest) // leaves nothing that is too short
		b.sequences = append(b.sequences, sequence{run, uint16(length), back})
		run, n = 0, n-length
	}
	b.sequences = append(b.sequences, sequence{run, uint16(n), back})
}

// count counts the symbols. For codes that are to serve later blocks as well,
// each symbol counts once at least.
func (b *block) count(all bool) {
	least := uint32(0)
	if all {
		least = 1
	}
	for i := range b.literals {
		b.literals[i] = least
	}
	for i := range b.dists {
		b.dists[i] = least
	}
	b.literals[endOfBlock] = 1
	at := b.start
	for _, s := range b.sequences {
		for _, c := range b.text[at : at+int(s.literals)] {
			b.literals[c]++
		}
		at += int(s.literals) + int(s.length)
		symbol, _ := lengthBucket(int(s.length))
		b.literals[firstLength+symbol]++
		symbol, _ = bucket(uint32(s.back), distCut)
		b.dists[symbol]++
	}
	for _, c := range b.text[at:b.end] {
		b.literals[c]++
	}
}

// common is the number of bytes with which both texts begin; b is no shorter.
func common(a, b []byte) int {
	n := 0
	for ; n+8 <= len(a) && n+8 <= len(b); n += 8 {
		if diff := binary.LittleEndian.Uint64(a[n:n+8]) ^ binary.LittleEndian.Uint64(b[n:n+8]); diff != 0 {
			return n + bits.TrailingZeros64(diff)>>3
		}
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}

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
	lastLength   = 28 // above firstLength: 258, which has its own symbol
	lengthCut    = 2  // see bucket
	distCodes    = 30
	distCut      = 1

	shortest = 3
	longest  = 258
	// window is how far back a match may refer.
	window = 32 << 10
)

// bucket returns the symbol of a value, and how many low bits of the value
// follow the symbol unchanged. Lengths and distances have the same scheme: each
// power of two is divided into 1<<cut symbols.
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

// sequence is a run of literals followed by a match.
type sequence struct {
	literals uint32
	length   uint16 // 3 to 258
	back     uint16 // distance - 1
}

// block is the content of one block of the stream: a part of a text as literals
// and matches, and the number of occurrences of each symbol.
type block struct {
	text       []byte // with its history
	start, end int    // of the part
	sequences  []sequence

	literals [literalCodes]uint32
	dists    [distCodes]uint32
}

// reset empties the block, which begins at an offset of the next text.
func (b *block) reset(start int) {
	b.text, b.start, b.end = nil, start, start
	b.sequences = b.sequences[:0]
}

// minFound is the shortest match that is worth its bits.
const minFound = 4

// findMatch compares the text at an offset with the text at a distance before
// it, and adds what agrees. The match may begin before the offset. If the last
// match covers the offset, the comparison begins at the end of that match.
func (b *block) findMatch(at int, dist uint32) {
	text := b.text
	at = max(at, b.end)
	if at >= len(text) || dist-1 >= uint32(min(at, window)) {
		return
	}
	from := at - int(dist)
	n := commonPrefix(text[at:], text[from:])
	if n < minFound || len(b.sequences)+n/(longest-shortest) >= maxSequences {
		return
	}
	for at > b.end && from > 0 && text[at-1] == text[from-1] {
		at, from, n = at-1, from-1, n+1
	}
	b.addMatch(at-b.end, n, dist)
}

// addMatch adds some literals and the match that follows them.
func (b *block) addMatch(literals, n int, dist uint32) {
	b.end += literals + n
	for n > longest { // too long for the format: it becomes several
		length := min(longest, n-shortest) // the rest must not be too short
		b.sequences = append(b.sequences, sequence{uint32(literals), uint16(length), uint16(dist - 1)})
		literals, n = 0, n-length
	}
	b.sequences = append(b.sequences, sequence{uint32(literals), uint16(n), uint16(dist - 1)})
}

// extendText replaces the text by a longer one that begins alike. The last match
// becomes longer if it ended with the text and what follows agrees, too.
func (b *block) extendText(text []byte) {
	b.text = text
	last := len(b.sequences) - 1
	if last < 0 {
		return
	}
	s := b.sequences[last]
	if n := commonPrefix(text[b.end:], text[b.end-int(s.back)-1:]); n > 0 {
		b.sequences = b.sequences[:last]
		b.end -= int(s.literals) + int(s.length)
		b.addMatch(int(s.literals), int(s.length)+n, uint32(s.back)+1)
	}
}

// countSymbols counts the symbols. If the codes are to be reused, every symbol
// needs a code: then each counts at least once.
func (b *block) countSymbols(reusable bool) {
	least := uint32(0)
	if reusable {
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

// commonPrefix returns the length of the common prefix of a and b. b must not
// be shorter than a.
func commonPrefix(a, b []byte) int {
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

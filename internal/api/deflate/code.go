package deflate

import (
	"math/bits"
	"slices"
)

// maxBits is the longest codeword for literals, lengths and distances. The
// format allows 15; with 14, four literals fit one step of the output.
const maxBits = 14

// codeword is the bits of one symbol, the first bit lowest, and their number.
type codeword uint32

func makeCodeword(bits uint64, size uint) codeword { return codeword(bits)<<8 | codeword(size) }

func (c codeword) bits() uint64 { return uint64(c >> 8) }
func (c codeword) size() uint   { return uint(c & 0xff) }

// assignCodewords sets the codeword of each symbol (RFC 1951, section 3.2.2):
// codewords of one length are consecutive numbers, in the order of the symbols.
// A symbol of length 0 gets an empty one.
func assignCodewords(code []codeword, lengths []uint8) {
	var next [maxBits + 2]uint16
	for _, n := range lengths {
		next[n+1]++
	}
	next[1] = 0 // those of length 0
	for n := 2; n < len(next); n++ {
		next[n] = (next[n] + next[n-1]) << 1
	}
	for symbol, n := range lengths {
		code[symbol] = 0
		if n > 0 {
			code[symbol] = makeCodeword(uint64(bits.Reverse16(next[n])>>(16-n)), uint(n))
			next[n]++
		}
	}
}

// lengthener computes code lengths. It holds only working memory.
type lengthener struct {
	keys [literalCodes]uint64 // count<<16 | symbol
	work [literalCodes]uint32
}

// setLengths sets the lengths of a complete prefix code of at most limit bits.
// The code is optimal for the counts if it needs no more than limit bits, else
// nearly optimal. If fewer than two symbols occur, others get a codeword too:
// some decoders reject a code of one symbol.
func (l *lengthener) setLengths(lengths []uint8, counts []uint32, limit int) {
	clear(lengths)
	keys := l.keys[:0]
	for symbol, count := range counts {
		if count > 0 {
			keys = append(keys, uint64(count)<<16|uint64(symbol))
		}
	}
	for symbol := 0; len(keys) < 2; symbol++ {
		if counts[symbol] == 0 {
			keys = append(keys, uint64(symbol))
		}
	}
	slices.Sort(keys)
	work := l.work[:len(keys)]
	for i, key := range keys {
		work[i] = uint32(key >> 16)
	}
	huffmanDepths(work)
	var number [maxBits + 1]uint16 // of codewords, by length
	for _, depth := range work {
		number[min(int(depth), limit)]++
	}
	// Make the code complete again after codewords that were too long have been
	// cut to the limit. Each step moves a codeword of that length next to a
	// shorter one, which becomes one bit longer; that frees one place.
	taken := 0 // in units of a codeword of the last length
	for n := 1; n <= limit; n++ {
		taken += int(number[n]) << (limit - n)
	}
	for ; taken > 1<<limit; taken-- {
		n := limit - 1
		for number[n] == 0 {
			n--
		}
		number[limit]--
		number[n]--
		number[n+1] += 2
	}
	at := 0 // the rarest symbols come first and get the longest codewords
	for n := limit; n > 0; n-- {
		for range number[n] {
			lengths[keys[at]&0xffff] = uint8(n)
			at++
		}
	}
}

// huffmanDepths turns rising counts into the depths of the leaves of a Huffman
// tree, in place (Moffat and Katajainen, 1995).
func huffmanDepths(a []uint32) {
	// Join the two lightest nodes again and again. Leaves are taken from the
	// front, inner nodes from where they were put: both rise. Afterwards a[i]
	// is the parent of inner node i, except for the last, the root.
	leaf, node := 0, 0
	take := func(next int) uint32 {
		if leaf < len(a) && (node >= next || a[leaf] <= a[node]) {
			leaf++
			return a[leaf-1]
		}
		weight := a[node]
		a[node] = uint32(next)
		node++
		return weight
	}
	for next := range len(a) - 1 {
		weight := take(next)
		a[next] = weight + take(next)
	}
	// Turn parents into the depths of inner nodes, from the root down.
	root := len(a) - 2
	a[root] = 0
	for i := root - 1; i >= 0; i-- {
		a[i] = a[a[i]] + 1
	}
	// At each depth, every place that no inner node takes is a leaf. The
	// rarest symbols, at the front, become the deepest.
	free, depth, at := 1, uint32(0), len(a)-1
	for node = root; free > 0; depth++ {
		used := 0
		for ; node >= 0 && a[node] == depth; node-- {
			used++
		}
		for range free - used {
			a[at] = depth
			at--
		}
		free = 2 * used
	}
}

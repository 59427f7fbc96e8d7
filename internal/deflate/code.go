package deflate

import (
	"math/bits"
	"slices"
)

// maxBits is the longest code for literals, lengths and distances. The format
// allows 15; with 14, four literals fit one step of the output.
const maxBits = 14

// entry is what stands for one symbol: bits, the first lowest, and how many.
type entry uint32

func makeEntry(bits uint64, size uint) entry { return entry(bits)<<8 | entry(size) }

func (e entry) bits() uint64 { return uint64(e >> 8) }
func (e entry) size() uint   { return uint(e & 0xff) }

// assign gives each symbol its code (RFC 1951, section 3.2.2): codes of one
// length are consecutive numbers, in order of the symbols. A symbol of length
// 0 gets an empty one.
func assign(code []entry, lengths []uint8) {
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
			code[symbol] = makeEntry(uint64(bits.Reverse16(next[n])>>(16-n)), uint(n))
			next[n]++
		}
	}
}

// lengthener finds code lengths. It holds only working memory.
type lengthener struct {
	keys [literalCodes]uint64 // count<<16 | symbol
	work [literalCodes]uint32
}

// find sets the lengths of a complete prefix code of at most limit bits that
// is the shortest for these counts, or nearly so where the limit binds. Where
// fewer than two symbols occur it adds others: not every decoder takes a code
// of one symbol.
func (l *lengthener) find(counts []uint32, limit int, lengths []uint8) {
	clear(lengths)
	keys := l.sorted(counts)
	work := l.work[:len(keys)]
	for i, key := range keys {
		work[i] = uint32(key >> 16)
	}
	depths(work)
	var number [maxBits + 1]uint16 // of codes, by length
	for _, depth := range work {
		number[min(int(depth), limit)]++
	}
	shorten(number[:limit+1])
	at := 0 // the rarest first, which have the longest codes
	for n := limit; n > 0; n-- {
		for range number[n] {
			lengths[keys[at]&0xffff] = uint8(n)
			at++
		}
	}
}

// sorted gives the symbols that occur, rarest first; two at least.
func (l *lengthener) sorted(counts []uint32) []uint64 {
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
	return keys
}

// depths turns rising counts into the depths of the leaves of a Huffman tree,
// in place and without a tree (Moffat and Katajainen, 1995). Three passes:
// counts become the parents of inner nodes, those become depths of inner
// nodes, those become depths of leaves.
func depths(a []uint32) {
	pair(a)
	inner(a)
	leaves(a)
}

// pair joins the two smallest nodes again and again. Leaves are taken from
// the front, inner nodes from where they were put: both rise. Afterwards a[i]
// is the parent of inner node i, for all but the last, the root.
func pair(a []uint32) {
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
}

// inner turns parents into depths, from the root down.
func inner(a []uint32) {
	root := len(a) - 2
	a[root] = 0
	for i := root - 1; i >= 0; i-- {
		a[i] = a[a[i]] + 1
	}
}

// leaves places at each depth as many leaves as inner nodes leave room for.
// The rarest symbols, at the front, become the deepest.
func leaves(a []uint32) {
	free, depth := 1, uint32(0)
	node, at := len(a)-2, len(a)-1
	for free > 0 {
		used := 0
		for node >= 0 && a[node] == depth {
			used++
			node--
		}
		for range free - used {
			a[at] = depth
			at--
		}
		free, depth = 2*used, depth+1
	}
}

// shorten makes numbers of codes by length a complete code again after what
// was too long has been cut to the last length. Each step frees one place:
// a code of the last length goes up beside a shorter one, which for that gets
// one bit more.
func shorten(number []uint16) {
	limit := len(number) - 1
	taken := 0 // in units of a code of the last length
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
}

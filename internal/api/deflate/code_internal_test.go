package deflate

import (
	"container/heap"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// tree is a naive Huffman tree: the weights of its nodes.
type tree []uint64

func (h tree) Len() int           { return len(h) }
func (h tree) Less(i, j int) bool { return h[i] < h[j] }
func (h tree) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *tree) Push(x any)        { *h = append(*h, x.(uint64)) }
func (h *tree) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// naiveCost returns the size of a text in the optimal code: the sum of the
// weights of all inner nodes.
func naiveCost(counts []uint32) (cost uint64) {
	var h tree
	for _, c := range counts {
		if c > 0 {
			h = append(h, uint64(c))
		}
	}
	heap.Init(&h)
	for len(h) > 1 {
		joined := heap.Pop(&h).(uint64) + heap.Pop(&h).(uint64)
		cost += joined
		heap.Push(&h, joined)
	}
	return cost
}

// TestLengths compares code lengths with those of a naive tree: the code is
// complete, within the limit, and optimal if the limit is not reached.
func TestLengths(t *testing.T) {
	var l lengthener
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{maxSizeBits, maxBits}).Draw(t, "limit")
		size := sizeCodes
		if limit == maxBits {
			size = rapid.SampledFrom([]int{distCodes, literalCodes}).Draw(t, "size")
		}
		count := rapid.OneOf(rapid.Just(uint32(0)), rapid.Uint32Range(0, 20), rapid.Uint32Range(0, 1<<19))
		counts := rapid.SliceOfN(count, size, size).Draw(t, "counts")
		if rapid.Bool().Draw(t, "steep") { // a tree as deep as can be
			for i, a, b := 0, uint32(1), uint32(1); i < min(size, 27); i, a, b = i+1, b, a+b {
				counts[i] = a
			}
		}
		lengths := make([]uint8, size)
		l.setLengths(lengths, counts, limit)
		taken, cost, longest := 0, uint64(0), 0
		for symbol, n := range lengths {
			if counts[symbol] > 0 && n == 0 || int(n) > limit {
				t.Fatalf("symbol %d has length %d", symbol, n)
			}
			if n > 0 {
				taken += 1 << (limit - int(n))
			}
			cost += uint64(counts[symbol]) * uint64(n)
			longest = max(longest, int(n))
		}
		if taken != 1<<limit {
			t.Fatalf("the code takes %d of %d", taken, 1<<limit)
		}
		if best := naiveCost(counts); longest < limit && best > 0 && cost != best {
			t.Fatalf("%d bits, the best code has %d", cost, best)
		}
	})
}

// TestBuckets compares the arithmetic with the tables of RFC 1951.
func TestBuckets(t *testing.T) {
	lengths := []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	for length := shortest; length <= longest; length++ {
		want := 0
		for want+1 < len(lengths) && lengths[want+1] <= length {
			want++
		}
		symbol, extra := lengthBucket(length)
		if int(symbol) != want || lengths[want]+1<<extra-1 < length || extra != lengthExtra(int(symbol)) {
			t.Errorf("length %d: symbol %d with %d bits, want %d", length, symbol, extra, want)
		}
	}
	dists := []int{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	for dist := 1; dist <= window; dist++ {
		want := 0
		for want+1 < len(dists) && dists[want+1] <= dist {
			want++
		}
		symbol, extra := bucket(uint32(dist-1), distCut)
		if int(symbol) != want || dists[want]+1<<extra-1 < dist || extra != max(want/2-1, 0) {
			t.Errorf("distance %d: symbol %d with %d bits, want %d", dist, symbol, extra, want)
		}
	}
}

// TestSize adds up the memory of a Writer.
func TestSize(t *testing.T) {
	z := NewWriter(nil)
	held := unsafe.Sizeof(*z) + uintptr(cap(z.block.sequences))*unsafe.Sizeof(sequence{})
	if held+4096 > Size || held < Size*3/4 {
		t.Errorf("a Writer holds %d bytes, Size is %d", held, Size)
	}
}

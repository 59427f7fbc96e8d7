package terms

import (
	"math/bits"
	"slices"

	"gamedex/internal/snapshot"
)

// Buckets has terms by the high bits of a hash.
type Buckets struct {
	at    snapshot.U32s // bucket → where its terms begin; then the number of terms
	terms snapshot.U32s
}

// AddBuckets writes two sections. A pair has the hash in the high half and the term below it;
// pairs may repeat. Equal pairs make equal bytes.
func AddBuckets(w *snapshot.Writer, sectionAt, section string, pairs []uint64) {
	slices.Sort(pairs)
	pairs = slices.Compact(pairs)
	buckets := 1 << max(1, bits.Len(uint(len(pairs)/2)))
	offsets, entries := []byte(nil), make([]byte, 0, 4*len(pairs))
	next := 0
	for bucket := range uint32(buckets) {
		offsets = snapshot.AppendU32(offsets, uint32(next))
		for ; next < len(pairs) && bucketOf(uint32(pairs[next]>>32), buckets) == bucket; next++ {
			entries = snapshot.AppendU32(entries, uint32(pairs[next]))
		}
	}
	w.Add(sectionAt, snapshot.AppendU32(offsets, uint32(next)))
	w.Add(section, entries)
}

// OpenBuckets reads the buckets of terms. The error is a [*snapshot.DamageError].
func OpenBuckets(f *snapshot.File, sectionAt string, terms snapshot.U32s) (Buckets, error) {
	at, err := f.U32s(sectionAt)
	if err != nil {
		return Buckets{}, err
	}
	buckets := at.Len() - 1
	if buckets < 2 || bits.OnesCount(uint(buckets)) != 1 {
		return Buckets{}, snapshot.Damaged(sectionAt, "%d buckets, want a power of two", buckets)
	}
	at, err = f.Offsets(sectionAt, buckets, terms.Len())
	return Buckets{at, terms}, err
}

// Append appends the terms of the bucket that a hash is in: those with the hash, and some
// others.
func (b Buckets) Append(dst []uint32, hash uint32) []uint32 {
	bucket := int(bucketOf(hash, b.at.Len()-1))
	terms := b.terms.Slice(b.at.At(bucket), b.at.At(bucket+1))
	for i := range terms.Len() {
		dst = append(dst, terms.At(i))
	}
	return dst
}

// bucketOf returns the high bits of a hash, so that buckets are in the order of
// hashes. The number of buckets is a power of two, at least 2.
func bucketOf(hash uint32, buckets int) uint32 {
	return hash >> (33 - bits.Len(uint(buckets)))
}

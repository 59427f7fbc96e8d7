package index

import (
	"encoding/binary"
	"math/bits"
)

// digest is a running 64-bit hash of numbers and texts. It is the same on
// every machine and for ever: revs and identities are compared across builds.
// It protects against mistakes, not against forgers.
type digest uint64

// add takes the next number in. Each step can be undone, so two sequences that
// differ in one number never hash alike.
func (d digest) add(v uint64) digest {
	v = bits.RotateLeft64(v*0x87c37b91114253d5, 31) * 0x4cf5ad432745937f
	return digest(bits.RotateLeft64(uint64(d)^v, 27)*5 + 0x52dce729)
}

// text takes a text in, its length too.
func (d digest) text(s string) digest {
	d = d.add(uint64(len(s)))
	for len(s) >= 8 {
		d = d.add(load64(s))
		s = s[8:]
	}
	var rest [8]byte
	copy(rest[:], s)
	return d.add(binary.LittleEndian.Uint64(rest[:]))
}

func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// sum spreads what was taken in over all bits.
func (d digest) sum() uint64 {
	v := uint64(d)
	v = (v ^ v>>33) * 0xff51afd7ed558ccd
	v = (v ^ v>>33) * 0xc4ceb9fe1a85ec53
	return v ^ v>>33
}

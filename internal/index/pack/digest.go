package pack

import (
	"encoding/binary"
	"math/bits"
)

// digest is a running 64-bit hash of numbers and texts. It is the same on every
// machine and in every version: revs and identities are compared across builds.
// It detects changes, not forgeries.
type digest uint64

// addNumber adds a number. Each step is invertible, so two sequences that differ in
// one number never have the same hash.
func (d digest) addNumber(v uint64) digest {
	v = bits.RotateLeft64(v*0x87c37b91114253d5, 31) * 0x4cf5ad432745937f
	return digest(bits.RotateLeft64(uint64(d)^v, 27)*5 + 0x52dce729)
}

// addText adds a text and its length.
func (d digest) addText(s string) digest {
	d = d.addNumber(uint64(len(s)))
	for len(s) >= 8 {
		d = d.addNumber(binary.LittleEndian.Uint64([]byte(s[:8])))
		s = s[8:]
	}
	var rest [8]byte
	copy(rest[:], s)
	return d.addNumber(binary.LittleEndian.Uint64(rest[:]))
}

// sum returns the hash, spread over all bits.
func (d digest) sum() uint64 {
	v := uint64(d)
	v = (v ^ v>>33) * 0xff51afd7ed558ccd
	v = (v ^ v>>33) * 0xc4ceb9fe1a85ec53
	return v ^ v>>33
}

package deflate

import (
	"encoding/binary"
	"io"
)

const (
	// outputSize is how many bytes are collected for one write.
	outputSize = 64 << 10
	// runSize is how many literals are written between two checks for room.
	runSize = 1024
	// outputStep is the room that such a run needs: its bits, a match, and
	// what the last store writes beyond its end.
	outputStep = runSize*maxBits/8 + 32
)

// cursor is the position of an output. It is a value, so that loops keep it in
// registers.
type cursor struct {
	n    int    // full bytes
	acc  uint64 // bits behind them, first bit lowest
	size uint   // number of those bits; after a store at most 7
}

// addCodeword adds the bits of a symbol. There must be room for them in acc.
func (c cursor) addCodeword(word codeword) cursor { return c.addBits(uint64(word>>8), uint(word&0xff)) }

func (c cursor) addBits(v uint64, size uint) cursor {
	return cursor{c.n, c.acc | v<<(c.size&63), c.size + size}
}

// store moves full bytes from acc to buf.
func (c cursor) store(buf *[outputSize]byte) cursor {
	binary.LittleEndian.PutUint64(buf[c.n:c.n+8], c.acc)
	return cursor{c.n + int(c.size>>3), c.acc >> (c.size &^ 7 & 63), c.size & 7}
}

// output collects bits and writes them as bytes. After an error it drops
// everything.
type output struct {
	cursor
	to  io.Writer
	err error
	// During a trial nothing leaves buf; overflow reports that buf was full.
	trial, overflow bool
	buf             [outputSize]byte
}

func (o *output) reset(to io.Writer) {
	o.cursor, o.to, o.err, o.trial, o.overflow = cursor{}, to, nil, false, false
}

// putBits writes up to 48 bits.
func (o *output) putBits(v uint64, size uint) {
	o.ensureRoom()
	o.cursor = o.addBits(v, size).store(&o.buf)
}

// ensureRoom makes room for outputStep bytes.
func (o *output) ensureRoom() {
	if o.n > outputSize-outputStep {
		o.flush()
	}
}

func (o *output) flush() {
	if o.trial {
		o.n, o.overflow = 0, true
		return
	}
	if o.err == nil && o.n > 0 {
		_, o.err = o.to.Write(o.buf[:o.n])
	}
	o.n = 0
}

// align pads the last byte with zeros.
func (o *output) align() { o.putBits(0, -o.size&7) }

// writeBytes writes whole bytes to an aligned output.
func (o *output) writeBytes(p []byte) {
	for len(p) > 0 {
		o.ensureRoom()
		n := copy(o.buf[o.n:], p)
		o.n += n
		p = p[n:]
	}
}

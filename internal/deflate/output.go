package deflate

import (
	"encoding/binary"
	"io"
)

const (
	// outputSize is how many bytes are collected for one write.
	outputSize = 64 << 10
	// runSize is how many literals are written between two looks at the room.
	runSize = 1024
	// outputStep is the room that there must be before them: for their bits,
	// a match, and what the last store writes beyond its end.
	outputStep = runSize*maxBits/8 + 32
)

// cursor is where an output stands. It is a value, so that loops hold it in
// registers.
type cursor struct {
	n    int    // bytes that are full
	acc  uint64 // bits behind them, first bit lowest
	size uint   // how many; after a store at most 7
}

// add adds the bits of a symbol. There must be room for them in acc.
func (c cursor) add(e entry) cursor { return c.addBits(uint64(e>>8), uint(e&0xff)) }

func (c cursor) addBits(v uint64, size uint) cursor {
	return cursor{c.n, c.acc | v<<(c.size&63), c.size + size}
}

// crowded says that there may be no room for another symbol.
func (c cursor) crowded() bool { return c.size >= 64-maxBits }

// store moves full bytes from acc to buf.
func (c cursor) store(buf *[outputSize]byte) cursor {
	binary.LittleEndian.PutUint64(buf[c.n:c.n+8], c.acc)
	return cursor{c.n + int(c.size>>3), c.acc >> (c.size &^ 7 & 63), c.size & 7}
}

// output collects bits and writes them as bytes. Its first error stays; what
// comes behind is dropped.
type output struct {
	cursor
	to  io.Writer
	err error
	// On trial nothing leaves buf; over says that it would have had to.
	trial, over bool
	buf         [outputSize]byte
}

func (o *output) reset(to io.Writer) {
	o.cursor, o.to, o.err, o.trial, o.over = cursor{}, to, nil, false, false
}

// try starts a trial, with an empty buffer, and returns where the output
// stands: to set the cursor back there undoes what was written on trial.
func (o *output) try() cursor {
	o.flush()
	o.trial, o.over = true, false
	return o.cursor
}

// put writes up to 48 bits.
func (o *output) put(v uint64, size uint) {
	o.room()
	o.cursor = o.addBits(v, size).store(&o.buf)
}

// room makes room for outputStep bytes.
func (o *output) room() {
	if o.n > outputSize-outputStep {
		o.flush()
	}
}

func (o *output) flush() {
	if o.trial {
		o.n, o.over = 0, true
		return
	}
	if o.err == nil && o.n > 0 {
		_, o.err = o.to.Write(o.buf[:o.n])
	}
	o.n = 0
}

// align fills the last byte with zeros.
func (o *output) align() { o.put(0, -o.size&7) }

// bytes writes whole bytes to an output that is aligned.
func (o *output) bytes(p []byte) {
	for len(p) > 0 {
		o.room()
		n := copy(o.buf[o.n:], p)
		o.n += n
		p = p[n:]
	}
}

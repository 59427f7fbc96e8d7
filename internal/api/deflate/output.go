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
	size uint   // its lowest byte is the number of those bits; after a store at most 7
}

// addCodeword adds the bits of a symbol. There must be room for them in acc.
// The word is added to size as a whole, as only its lowest byte counts.
func (c cursor) addCodeword(word codeword) cursor {
	return cursor{c.n, c.acc | uint64(word>>8)<<(c.size&63), c.size + uint(word)}
}

func (c cursor) addBits(v uint64, size uint) cursor {
	return cursor{c.n, c.acc | v<<(c.size&63), c.size + size}
}

// store moves full bytes from acc to buf.
func (c cursor) store(buf *[outputSize]byte) cursor {
	binary.LittleEndian.PutUint64(buf[c.n:c.n+8], c.acc)
	return cursor{c.n + int(uint8(c.size)>>3), c.acc >> (c.size & 0x38), c.size & 7}
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

// coder writes the symbols of blocks.
type coder struct {
	literals [fixedCodes]codeword
	dists    [distCodes]codeword
	matches  [longest + 1]codeword // by length: its symbol's codeword and its extra bits
}

// setLengths sets the codes to those of the given lengths.
func (c *coder) setLengths(l *codeLengths) {
	assignCodewords(c.literals[:], l.literals[:])
	assignCodewords(c.dists[:], l.dists[:])
	for length := shortest; length <= longest; length++ {
		symbol, extra := lengthBucket(length)
		word := c.literals[firstLength+symbol]
		low := uint64(length-shortest) & (1<<extra - 1)
		c.matches[length] = makeCodeword(word.bits()|low<<word.size(), word.size()+uint(extra))
	}
}

// writeSymbols writes the symbols of a block and its end.
func (c *coder) writeSymbols(o *output, b *block) {
	at, to := b.start, o.cursor
	for _, s := range b.sequences {
		run := b.text[at : at+int(s.literals)]
		at += len(run) + int(s.length)
		if len(run) > runSize || to.n > outputSize-outputStep {
			o.cursor = to
			c.writeLiterals(o, run)
			o.ensureRoom()
			run, to = nil, o.cursor
		}
		for ; len(run) > 4; run = run[4:] {
			to = to.addCodeword(c.literals[run[0]]).addCodeword(c.literals[run[1]])
			to = to.addCodeword(c.literals[run[2]]).addCodeword(c.literals[run[3]]).store(&o.buf)
		}
		for _, literal := range run { // 7 pending bits, 4 times 14
			to = to.addCodeword(c.literals[literal])
		}
		// 7 pending bits, at most 14+5 of the length, 14+13 of the distance
		to = to.store(&o.buf).addCodeword(c.matches[s.length])
		symbol, extra := bucket(uint32(s.back), distCut)
		to = to.addCodeword(c.dists[symbol]).addBits(uint64(s.back)&(1<<extra-1), uint(extra)).store(&o.buf)
	}
	o.cursor = to
	c.writeLiterals(o, b.text[at:b.end])
	end := c.literals[endOfBlock]
	o.putBits(end.bits(), end.size())
}

// writeLiterals writes any number of literals.
func (c *coder) writeLiterals(o *output, run []byte) {
	for len(run) > 0 {
		o.ensureRoom()
		part := run[:min(len(run), runSize)]
		run = run[len(part):]
		to := o.cursor
		for ; len(part) >= 4; part = part[4:] { // 7 pending bits, 4 times 14
			to = to.addCodeword(c.literals[part[0]]).addCodeword(c.literals[part[1]])
			to = to.addCodeword(c.literals[part[2]]).addCodeword(c.literals[part[3]]).store(&o.buf)
		}
		for _, literal := range part {
			to = to.addCodeword(c.literals[literal]).store(&o.buf)
		}
		o.cursor = to
	}
}

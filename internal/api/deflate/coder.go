package deflate

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
	at := b.start
	for _, s := range b.sequences {
		run := b.text[at : at+int(s.literals)]
		at += len(run) + int(s.length)
		if len(run) > runSize {
			c.writeLiterals(o, run)
			run = nil
		}
		o.ensureRoom()
		to := o.cursor
		for _, literal := range run {
			// Store when there may be no room for another symbol.
			if to = to.addCodeword(c.literals[literal]); to.size >= 64-maxBits {
				to = to.store(&o.buf)
			}
		}
		// 7 pending bits, at most 14+5 of the length, 14+13 of the distance
		to = to.store(&o.buf).addCodeword(c.matches[s.length])
		symbol, extra := bucket(uint32(s.back), distCut)
		to = to.addCodeword(c.dists[symbol]).addBits(uint64(s.back)&(1<<extra-1), uint(extra))
		o.cursor = to.store(&o.buf)
	}
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

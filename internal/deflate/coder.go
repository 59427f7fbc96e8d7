package deflate

// coder writes the symbols of blocks.
type coder struct {
	literals [fixedCodes]entry
	dists    [distCodes]entry
	matches  [longest + 1]entry // by length: its symbol's code and its extra bits
}

// set prepares codes of these lengths.
func (c *coder) set(l *codeLengths) {
	assign(c.literals[:], l.literals[:])
	assign(c.dists[:], l.dists[:])
	for length := shortest; length <= longest; length++ {
		symbol, extra := lengthBucket(length)
		e := c.literals[firstLength+symbol]
		low := uint64(length-shortest) & (1<<extra - 1)
		c.matches[length] = makeEntry(e.bits()|low<<e.size(), e.size()+uint(extra))
	}
}

// write writes the block's symbols and its end.
func (c *coder) write(o *output, b *block) {
	at := b.start
	for _, s := range b.sequences {
		run := b.text[at : at+int(s.literals)]
		at += len(run) + int(s.length)
		if len(run) > runSize {
			c.writeRun(o, run)
			run = nil
		}
		o.room()
		to := o.cursor
		for _, literal := range run {
			if to = to.add(c.literals[literal]); to.crowded() {
				to = to.store(&o.buf)
			}
		}
		// 7 bits that wait, at most 14+5 of the length, 14+13 of the distance
		to = to.store(&o.buf).add(c.matches[s.length])
		symbol, extra := bucket(uint32(s.back), distCut)
		to = to.add(c.dists[symbol]).addBits(uint64(s.back)&(1<<extra-1), uint(extra))
		o.cursor = to.store(&o.buf)
	}
	c.writeRun(o, b.text[at:b.end])
	end := c.literals[endOfBlock]
	o.put(end.bits(), end.size())
}

// writeRun writes any number of literals.
func (c *coder) writeRun(o *output, run []byte) {
	for len(run) > 0 {
		o.room()
		part := run[:min(len(run), runSize)]
		run = run[len(part):]
		to := o.cursor
		for ; len(part) >= 4; part = part[4:] { // 7 bits that wait, 4 times 14
			to = to.add(c.literals[part[0]]).add(c.literals[part[1]])
			to = to.add(c.literals[part[2]]).add(c.literals[part[3]]).store(&o.buf)
		}
		for _, literal := range part {
			to = to.add(c.literals[literal]).store(&o.buf)
		}
		o.cursor = to
	}
}

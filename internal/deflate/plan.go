package deflate

// The kinds of block, as the format numbers them.
const (
	stored = iota
	fixed
	dynamic
)

// endOfStream is an empty last block with fixed codes, all ten bits of it.
const endOfStream = 1 | fixed<<1

// maxStored is the longest stored block.
const maxStored = 1<<16 - 1

// fixedCodes is the size of the fixed alphabet of literals and lengths: the
// last two symbols have codes and no meaning.
const fixedCodes = literalCodes + 2

// codeLengths are the lengths of a block's two codes.
type codeLengths struct {
	literals [fixedCodes]uint8
	dists    [distCodes]uint8
}

// fixedLengths are those of RFC 1951, section 3.2.6.
func fixedLengths() (l codeLengths) {
	for symbol := range l.literals {
		switch {
		case symbol < 144, symbol >= 280:
			l.literals[symbol] = 8
		case symbol < 256:
			l.literals[symbol] = 9
		default:
			l.literals[symbol] = 7
		}
	}
	for symbol := range l.dists {
		l.dists[symbol] = 5
	}
	return l
}

// bits is what the symbols of a block take with codes of these lengths.
func (l *codeLengths) bits(b *block) int {
	n := 0
	for symbol, count := range b.literals {
		n += int(count) * (int(l.literals[symbol]) + lengthExtra(symbol-firstLength))
	}
	for symbol, count := range b.dists {
		n += int(count) * (int(l.dists[symbol]) + max(symbol/2-1, 0))
	}
	return n
}

// lengthExtra is how many extra bits a length's symbol has.
func lengthExtra(symbol int) int {
	if symbol == lastLength {
		return 0
	}
	return max(symbol/4-1, 0)
}

// planner writes each block in the shortest of the three ways. All it holds
// from one block to the next is memory to work in.
type planner struct {
	own, fixed codeLengths
	lengthener lengthener
	preamble   preamble
	coder      coder

	ready      bool  // the own codes are to be tried again
	size, bits int64 // of the block they were made for: bytes of text, bits written
}

const (
	// minAgain is the size of a block from which on more like it are expected.
	minAgain = 128 << 10
	// maxAgain is how many bits such a block may take: the next one should fit
	// the output's buffer, even if it takes 8/7 as many.
	maxAgain = 8 * (outputSize - outputStep) / 8 * 7
)

// write writes the block; an empty one leaves no trace.
func (p *planner) write(o *output, b *block) {
	size := b.end - b.start
	if size == 0 || p.again(o, b) {
		return
	}
	p.ready = false
	b.count(size >= minAgain)
	p.lengthener.find(b.literals[:], maxBits, p.own.literals[:literalCodes])
	p.lengthener.find(b.dists[:], maxBits, p.own.dists[:])
	p.preamble.set(&p.lengthener, &p.own)
	asStored := 8 * (size + 5*(1+size/maxStored))
	asFixed := 3 + p.fixed.bits(b)
	asOwn := 3 + p.preamble.bits() + p.own.bits(b)
	switch best := min(asStored, asFixed, asOwn); best {
	case asStored:
		store(o, b.text[b.start:b.end])
	case asFixed:
		o.put(fixed<<1, 3)
		p.coder.set(&p.fixed)
		p.coder.write(o, b)
	default:
		p.coder.set(&p.own)
		p.writeOwn(o, b)
		p.ready = size >= minAgain && asOwn <= maxAgain
		p.size, p.bits = int64(size), int64(asOwn)
	}
}

func (p *planner) writeOwn(o *output, b *block) {
	o.put(dynamic<<1, 3)
	p.preamble.write(o)
	p.coder.write(o, b)
}

// again writes a block with the codes of an earlier one, if the block does not
// become too long by that: counting and planning take a seventh of the time.
// Else it leaves no trace.
func (p *planner) again(o *output, b *block) bool {
	if !p.ready {
		return false
	}
	before := o.try()
	p.writeOwn(o, b)
	o.trial = false
	size := int64(b.end - b.start)
	bits := 8*int64(o.n-before.n) + int64(o.size) - int64(before.size)
	if o.over || bits > 8*size || bits*p.size/8*7 > p.bits*size {
		o.cursor = before
		return false
	}
	return true
}

// store writes text as it is, behind headers that start on a full byte.
func store(o *output, text []byte) {
	for len(text) > 0 {
		part := text[:min(len(text), maxStored)]
		o.put(stored<<1, 3)
		o.align()
		o.put(uint64(len(part))|uint64(len(part)^maxStored)<<16, 32)
		o.bytes(part)
		text = text[len(part):]
	}
}

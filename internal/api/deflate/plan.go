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

// fixedCodes is the size of the fixed alphabet of literals and lengths. Its
// last two symbols have codes but no meaning.
const fixedCodes = literalCodes + 2

// codeLengths are the lengths of a block's two codes.
type codeLengths struct {
	literals [fixedCodes]uint8
	dists    [distCodes]uint8
}

// fixedLengths returns those of RFC 1951, section 3.2.6.
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

// blockBits returns how many bits the symbols of a block take with codes of
// these lengths.
func (l *codeLengths) blockBits(b *block) int {
	n := 0
	for symbol, count := range b.literals {
		n += int(count) * (int(l.literals[symbol]) + lengthExtra(symbol-firstLength))
	}
	for symbol, count := range b.dists {
		n += int(count) * (int(l.dists[symbol]) + max(symbol/2-1, 0))
	}
	return n
}

// lengthExtra returns how many extra bits the symbol of a length has.
func lengthExtra(symbol int) int {
	if symbol == lastLength {
		return 0
	}
	return max(symbol/4-1, 0)
}

// planner writes each block in the shortest of the three forms.
type planner struct {
	dynamic, fixed codeLengths
	lengthener     lengthener
	preamble       preamble
	coder          coder

	reusable   bool  // the dynamic codes may fit the next block too
	size, bits int64 // of the block they were made for: bytes of text, bits written
}

const (
	// minReusable is the size of the smallest block whose codes are reused.
	minReusable = 128 << 10
	// maxReusable is how many bits such a block may take: the next one must
	// fit the output's buffer even if it takes 8/7 as many.
	maxReusable = 8 * (outputSize - outputStep) / 8 * 7
)

// writeBlock writes a block, or nothing if it is empty.
func (p *planner) writeBlock(o *output, b *block) {
	size := b.end - b.start
	if size == 0 || p.reuseCodes(o, b) {
		return
	}
	p.reusable = false
	b.countSymbols(size >= minReusable)
	p.lengthener.setLengths(p.dynamic.literals[:literalCodes], b.literals[:], maxBits)
	p.lengthener.setLengths(p.dynamic.dists[:], b.dists[:], maxBits)
	p.preamble.setLengths(&p.lengthener, &p.dynamic)
	asStored := 8 * (size + 5*(1+size/maxStored))
	asFixed := 3 + p.fixed.blockBits(b)
	asDynamic := 3 + p.preamble.bits() + p.dynamic.blockBits(b)
	switch best := min(asStored, asFixed, asDynamic); best {
	case asStored:
		for text := b.text[b.start:b.end]; len(text) > 0; {
			part := text[:min(len(text), maxStored)]
			o.putBits(stored<<1, 3)
			o.align()
			o.putBits(uint64(len(part))|uint64(len(part)^maxStored)<<16, 32)
			o.writeBytes(part)
			text = text[len(part):]
		}
	case asFixed:
		o.putBits(fixed<<1, 3)
		p.coder.setLengths(&p.fixed)
		p.coder.writeSymbols(o, b)
	default:
		p.coder.setLengths(&p.dynamic)
		p.writeDynamic(o, b)
		p.reusable = size >= minReusable && asDynamic <= maxReusable
		p.size, p.bits = int64(size), int64(asDynamic)
	}
}

func (p *planner) writeDynamic(o *output, b *block) {
	o.putBits(dynamic<<1, 3)
	p.preamble.write(o)
	p.coder.writeSymbols(o, b)
}

// reuseCodes writes a block with the codes of an earlier one and reports
// whether it did. It undoes the attempt if the block becomes too long. Counting
// symbols and making codes would take a seventh of the time.
func (p *planner) reuseCodes(o *output, b *block) bool {
	if !p.reusable {
		return false
	}
	// The trial begins with an empty buffer; setting the cursor back undoes it.
	o.flush()
	o.trial, o.overflow = true, false
	before := o.cursor
	p.writeDynamic(o, b)
	o.trial = false
	size := int64(b.end - b.start)
	bits := 8*int64(o.n-before.n) + int64(o.size) - int64(before.size)
	if o.overflow || bits > 8*size || bits*p.size/8*7 > p.bits*size {
		o.cursor = before
		return false
	}
	return true
}

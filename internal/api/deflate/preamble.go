package deflate

const (
	// sizeCodes is the size of the alphabet in which code lengths are sent: the
	// lengths 0 to 15, and three kinds of repetition.
	sizeCodes   = 19
	repeatLast  = 16 // 3 to 6 times; 2 extra bits
	fewZeros    = 17 // 3 to 10; 3 extra bits
	manyZeros   = 18 // 11 to 138; 7 extra bits
	maxSizeBits = 7  // longest codeword of this alphabet
)

// sentOrder is the order in which the lengths of those codewords are sent:
// symbols that are likely unused come last.
const sentOrder = "\x10\x11\x12\x00\x08\x07\x09\x06\x0a\x05\x0b\x04\x0c\x03\x0d\x02\x0e\x01\x0f"

// preamble is the start of a dynamic block: its codes, as code lengths (RFC
// 1951, section 3.2.7).
type preamble struct {
	literals, dists int // how many lengths are sent of each code
	sent            int // the same for the code of lengths

	joined  [literalCodes + distCodes]uint8
	packed  []packedSize
	counts  [sizeCodes]uint32
	lengths [sizeCodes]uint8
	code    [sizeCodes]codeword
}

// packedSize is a symbol of the alphabet of lengths, with its extra bits.
type packedSize struct{ symbol, extra uint8 }

// extraBits returns how many extra bits the symbol has.
func (s packedSize) extraBits() uint {
	switch s.symbol {
	case repeatLast:
		return 2
	case fewZeros:
		return 3
	case manyZeros:
		return 7
	}
	return 0
}

// setLengths makes the preamble for codes of these lengths.
func (p *preamble) setLengths(l *lengthener, lengths *codeLengths) {
	p.literals = max(usedCount(lengths.literals[:literalCodes]), firstLength)
	p.dists = max(usedCount(lengths.dists[:]), 1)
	n := copy(p.joined[:], lengths.literals[:p.literals])
	n += copy(p.joined[n:], lengths.dists[:p.dists])
	p.packLengths(p.joined[:n])
	l.setLengths(p.lengths[:], p.counts[:], maxSizeBits)
	p.sent = 4
	for i := range sizeCodes {
		if p.lengths[sentOrder[i]] > 0 {
			p.sent = max(p.sent, i+1)
		}
	}
}

// usedCount returns the number of symbols up to the last that has a codeword.
func usedCount(lengths []uint8) int {
	n := len(lengths)
	for n > 0 && lengths[n-1] == 0 {
		n--
	}
	return n
}

// packLengths encodes lengths in their alphabet. A repetition may continue from
// one code into the other.
func (p *preamble) packLengths(lengths []uint8) {
	p.packed = p.packed[:0]
	clear(p.counts[:])
	for len(lengths) > 0 {
		run := 1
		for run < len(lengths) && lengths[run] == lengths[0] {
			run++
		}
		length := lengths[0]
		lengths = lengths[run:]
		if length == 0 {
			for run >= 11 {
				n := min(run, 138)
				p.addSymbol(manyZeros, n-11)
				run -= n
			}
			if run >= 3 {
				p.addSymbol(fewZeros, run-3)
				run = 0
			}
		}
		if run > 3 {
			p.addSymbol(length, 0)
			run--
			for run >= 3 {
				n := min(run, 6)
				p.addSymbol(repeatLast, n-3)
				run -= n
			}
		}
		for range run {
			p.addSymbol(length, 0)
		}
	}
}

func (p *preamble) addSymbol(symbol uint8, extra int) {
	p.packed = append(p.packed, packedSize{symbol, uint8(extra)})
	p.counts[symbol]++
}

// bits returns the size of the preamble.
func (p *preamble) bits() int {
	n := 5 + 5 + 4 + 3*p.sent
	for _, s := range p.packed {
		n += int(p.lengths[s.symbol]) + int(s.extraBits())
	}
	return n
}

func (p *preamble) write(o *output) {
	o.putBits(uint64(p.literals-firstLength)|uint64(p.dists-1)<<5|uint64(p.sent-4)<<10, 14)
	for i := range p.sent {
		o.putBits(uint64(p.lengths[sentOrder[i]]), 3)
	}
	assignCodewords(p.code[:], p.lengths[:])
	for _, s := range p.packed {
		word := p.code[s.symbol]
		o.putBits(word.bits()|uint64(s.extra)<<word.size(), word.size()+s.extraBits())
	}
}

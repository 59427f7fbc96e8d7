package webhook

import (
	"encoding/binary"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// stateVersion is the first byte of an encoded state. With another hash of what is shown it has to be another
// one: states of other versions are unknown, so that nothing is sent because the program changed.
const stateVersion = 1

// append appends the encoded state.
func (s *state) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(append(b, stateVersion), s.title)
	for i := range s.prices {
		p := &s.prices[i]
		flags := byte(len(p.currency)) << 1
		if p.discounted {
			flags |= 1
		}
		b = append(append(append(b, p.region[:]...), flags), p.currency...)
		b = binary.AppendVarint(binary.BigEndian.AppendUint64(b, p.shown), p.amount)
	}
	return b
}

// parseState is the reverse of append; ok is false if b is not a state of this version.
func parseState(b []byte) (s state, ok bool) {
	const head, fixed = 9, 3 + 8
	if len(b) < head || b[0] != stateVersion {
		return s, false
	}
	s.title = binary.BigEndian.Uint64(b[1:])
	for b = b[head:]; len(b) > 0; {
		if len(b) < fixed || len(b) < fixed+int(b[2]>>1) {
			return state{}, false
		}
		p := price{region: catalog.Region(b[:2]), discounted: b[2]&1 != 0}
		size := 3 + int(b[2]>>1)
		p.currency, p.shown = money.Currency(b[3:size]), binary.BigEndian.Uint64(b[size:])
		amount, n := binary.Varint(b[size+8:])
		if n <= 0 {
			return state{}, false
		}
		p.amount = amount
		s.prices, b = append(s.prices, p), b[size+8+n:]
	}
	return s, true
}

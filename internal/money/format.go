package money

import (
	"strconv"
	"strings"
	"sync"
)

// Formatter writes amounts as texts. The layout of each pair of region and
// currency is worked out once, then a text costs some tens of nanoseconds. It
// is safe for concurrent use, and bounded by the number of such pairs. The zero
// value is ready.
type Formatter struct {
	mu      sync.RWMutex
	layouts map[layoutKey]*layout
}

type layoutKey struct {
	region   string
	currency Currency
}

// maxLayouts bounds the memory should somebody pass made-up regions; beyond it
// layouts are worked out each time.
const maxLayouts = 1 << 14

// Format is the text of an amount as region (upper-case alpha-2) writes it, by
// CLDR and always in Latin digits; "" for None. The currency's own decimals are
// shown, and more only where the hundredths need them: 100000 is "¥1,000",
// 100050 is "¥1,000.5". An unknown region is written as in English.
func (f *Formatter) Format(region string, c Currency, a Amount) string {
	var buf [64]byte
	return string(f.Append(buf[:0], region, c, a))
}

// Append appends what Format gives, and allocates nothing once it has seen
// the region and currency.
func (f *Formatter) Append(dst []byte, region string, c Currency, a Amount) []byte {
	if a < 0 {
		return dst
	}
	return f.layout(region, c).append(dst, a)
}

func (f *Formatter) layout(region string, c Currency) *layout {
	key := layoutKey{region, c}
	f.mu.RLock()
	l := f.layouts[key]
	f.mu.RUnlock()
	if l != nil {
		return l
	}
	l = newLayout(regionLocale(region), c)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.layouts == nil {
		f.layouts = make(map[layoutKey]*layout)
	}
	if len(f.layouts) < maxLayouts {
		f.layouts[layoutKey{strings.Clone(region), Currency(strings.Clone(string(c)))}] = l
	}
	return l
}

// append writes one amount.
func (l *layout) append(dst []byte, a Amount) []byte {
	dst = append(dst, l.prefix...)
	dst = l.appendWhole(dst, uint64(a)/100)
	dst = l.appendFraction(dst, uint64(a)%100)
	return append(dst, l.suffix...)
}

// appendWhole writes the digits before the decimal separator, in groups.
func (l *layout) appendWhole(dst []byte, n uint64) []byte {
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], n, 10)
	if l.primary == 0 || len(digits) < l.groupFrom {
		return append(dst, digits...)
	}
	for i, d := range digits {
		left := len(digits) - i
		if i > 0 && left >= l.primary && (left-l.primary)%l.secondary == 0 {
			dst = append(dst, l.group...)
		}
		dst = append(dst, d)
	}
	return dst
}

// appendFraction writes what follows, at least as many decimals as the
// currency has, and two where the hundredths need them.
func (l *layout) appendFraction(dst []byte, hundredths uint64) []byte {
	need := 0
	switch {
	case hundredths%10 != 0:
		need = 2
	case hundredths != 0:
		need = 1
	}
	need = max(need, l.decimals)
	if need == 0 {
		return dst
	}
	dst = append(dst, l.point...)
	for i := range need {
		switch i {
		case 0:
			dst = append(dst, '0'+byte(hundredths/10))
		case 1:
			dst = append(dst, '0'+byte(hundredths%10))
		default:
			dst = append(dst, '0')
		}
	}
	return dst
}

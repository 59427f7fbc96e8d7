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

// Append appends what Format returns, and allocates nothing once it has seen
// the region and currency.
func (f *Formatter) Append(dst []byte, region string, c Currency, a Amount) []byte {
	if a < 0 {
		return dst
	}
	l := f.layout(region, c)
	dst = append(dst, l.prefix...)
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], uint64(a)/100, 10)
	for i, digit := range digits {
		left := len(digits) - i
		if i > 0 && l.primary > 0 && len(digits) >= l.groupFrom && left >= l.primary && (left-l.primary)%l.secondary == 0 {
			dst = append(dst, l.group...)
		}
		dst = append(dst, digit)
	}
	// At least as many decimals as the currency has, and two where the
	// hundredths need them.
	hundredths, need := uint64(a)%100, l.decimals
	if hundredths%10 != 0 {
		need = max(need, 2)
	} else if hundredths != 0 {
		need = max(need, 1)
	}
	if need > 0 {
		dst = append(dst, l.point...)
	}
	for i := range need {
		digit := byte('0')
		switch i {
		case 0:
			digit += byte(hundredths / 10)
		case 1:
			digit += byte(hundredths % 10)
		}
		dst = append(dst, digit)
	}
	return append(dst, l.suffix...)
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

package money

import (
	"strconv"
	"strings"
	"sync"
)

// Formatter formats amounts. It determines the layout of each pair of region and
// currency once; then a text takes some tens of nanoseconds. It is safe for concurrent
// use, and its memory is bounded by the number of pairs. The zero value is ready to use.
type Formatter struct {
	mu      sync.RWMutex
	layouts map[layoutKey]*layout
}

type layoutKey struct {
	region   string
	currency Currency
}

// maxLayouts bounds the memory if there are made-up regions. Further layouts are
// determined again each time.
const maxLayouts = 1 << 14

// Format returns an amount as text in the form of region (upper-case alpha-2), according
// to CLDR but always in Latin digits; "" for None. The text has the decimals of the
// currency, and more only if the hundredths need them: 100000 is "¥1,000", 100050 is
// "¥1,000.5". An unknown region has the English form.
func (f *Formatter) Format(region string, c Currency, a Amount) string {
	var buf [64]byte
	return string(f.Append(buf[:0], region, c, a))
}

// Append appends the result of Format. It does not allocate for a known pair of region
// and currency.
func (f *Formatter) Append(dst []byte, region string, c Currency, a Amount) []byte {
	return f.Form(region, c).Append(dst, a)
}

// Form returns how a region writes amounts of a currency, for many amounts.
func (f *Formatter) Form(region string, c Currency) Form { return Form{f.layout(region, c)} }

// Form writes amounts of one currency. [Formatter.Form] returns it. It may be copied and
// used from several goroutines.
type Form struct{ layout *layout }

// Append appends what [Formatter.Format] returns.
func (f Form) Append(dst []byte, a Amount) []byte {
	if a < 0 {
		return dst
	}
	l := f.layout
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

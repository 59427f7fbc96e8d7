package money

import (
	"strconv"
	"strings"
	"sync"

	"github.com/bojanz/currency"
	"golang.org/x/text/language"
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
// "¥1,000.5". A whole amount has only those of cash: 19900 is "199 Kč", 19950 is "199,50 Kč".
// An unknown region has the English form.
func (f *Formatter) Format(region string, c Currency, a Amount) string {
	var buf [64]byte
	return string(f.Form(region, c).Append(buf[:0], a))
}

// Form returns how a region writes amounts of a currency, for many amounts. It does not
// allocate for a known pair of region and currency.
func (f *Formatter) Form(region string, c Currency) Form { return Form{f.layout(region, c)} }

// Form writes amounts of one currency. [Formatter.Form] returns it. It may be copied and
// used from several goroutines.
type Form struct{ layout *layout }

// Append appends what [Formatter.Format] returns. It does not allocate.
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
	// At least as many decimals as the currency or its cash has, and two where
	// the hundredths need them.
	hundredths, need := uint64(a)%100, l.decimals
	switch {
	case hundredths == 0:
		need = l.whole
	case hundredths%10 != 0:
		need = max(need, 2)
	default:
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

// layout is the form of amounts of one currency in one locale. In CLDR it consists of a
// pattern, a symbol and separators that do not depend on the amount. Therefore a few
// samples determine it, and amounts are then formatted without the cost of a general
// formatter.
type layout struct {
	prefix, suffix     string // around the number: symbol and spaces
	point, group       string // decimal and grouping separator
	primary, secondary int    // digits in the last group and in those before it; 0 = no groups
	groupFrom          int    // the least number of digits with groups
	decimals, whole    int    // least number of decimals, and that of whole amounts
}

// newLayout determines the layout of a locale and currency from samples. A code that is
// not a currency follows a plain number.
func newLayout(locale currency.Locale, c Currency) *layout {
	f := currency.NewFormatter(locale)
	f.MinDigits, f.MaxDigits = 1, 1
	sample := func(number string) string {
		amount, err := currency.NewAmount(number, string(c))
		if err != nil {
			return ""
		}
		return latinDigits(f.Format(amount))
	}
	small := sample("1.5")
	first, last := strings.Index(small, "1"), strings.LastIndex(small, "5")
	if first < 0 || last < first {
		l := &layout{point: ".", decimals: 2, whole: 2}
		if c != "" {
			l.suffix = " " + string(c)
		}
		return l
	}
	l := &layout{prefix: small[:first], suffix: small[last+1:], point: small[first+1 : last], decimals: c.Digits(), whole: c.cashDigits()}
	bare := func(number string) string {
		text := strings.TrimSuffix(strings.TrimPrefix(sample(number), l.prefix), l.suffix)
		return strings.TrimSuffix(text, l.point+"0")
	}
	// A long number without symbol shows the groups.
	const digits = "123456789012"
	long := strings.FieldsFunc(bare(digits), func(r rune) bool { return r < '0' || r > '9' })
	if len(long) < 3 {
		return l
	}
	l.primary, l.secondary = len(long[len(long)-1]), len(long[len(long)-2])
	l.group = bare(digits)[len(long[0]):]
	l.group = l.group[:strings.Index(l.group, long[1])]
	l.groupFrom = l.primary + 1
	for l.groupFrom <= len(digits) && bare(digits[:l.groupFrom]) == digits[:l.groupFrom] {
		l.groupFrom++
	}
	return l
}

func latinDigits(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '٫':
			return '.'
		case '٬':
			return ','
		}
		if d, ok := digitValue(r); ok {
			return rune(d)
		}
		return r
	}, s)
}

// regionLanguages are the languages of prices according to the contract. Other regions
// have the most likely language according to CLDR.
var regionLanguages = map[string]string{
	"UA": "uk", "TR": "tr", "PL": "pl", "IN": "en", "US": "en", "DE": "de", "JP": "ja", "KZ": "ru",
}

// RegionLanguage returns the language of a region's prices (upper-case alpha-2): "uk".
func RegionLanguage(region string) string { return regionLocale(region).Language }

// regionLocale returns the locale of a region's prices. It includes the script if that is
// not the usual one of the language (zh-Hant-TW).
func regionLocale(region string) currency.Locale {
	if code, ok := regionLanguages[region]; ok {
		return currency.Locale{Language: code, Territory: region}
	}
	known, err := language.ParseRegion(region)
	if err != nil || !known.IsCountry() {
		return currency.Locale{Language: "en"}
	}
	tag, _ := language.Compose(language.Und, known) // has no error for parsed parts
	base, _ := tag.Base()
	script, _ := tag.Script()
	plain, _ := language.Compose(base)
	locale := currency.Locale{Language: base.String(), Territory: region}
	if usual, _ := plain.Script(); usual != script {
		locale.Script = script.String()
	}
	return locale
}

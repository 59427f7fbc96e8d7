package money

import (
	"strings"

	"github.com/bojanz/currency"
)

// layout is the form of amounts of one currency in one locale. In CLDR it consists of a
// pattern, a symbol and separators that do not depend on the amount. Therefore a few
// samples determine it, and amounts are then formatted without the cost of a general
// formatter.
type layout struct {
	prefix, suffix     string // around the number: symbol and spaces
	point, group       string // decimal and grouping separator
	primary, secondary int    // digits in the last group and in those before it; 0 = no groups
	groupFrom          int    // the least number of digits with groups
	decimals           int    // always shown
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
		l := &layout{point: ".", decimals: 2}
		if c != "" {
			l.suffix = " " + string(c)
		}
		return l
	}
	l := &layout{prefix: small[:first], suffix: small[last+1:], point: small[first+1 : last], decimals: c.Digits()}
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

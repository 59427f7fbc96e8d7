package money

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

var (
	errNotAmount = errors.New("is not an amount such as 19.99 or 1.049,99 €")
	errNoNumber  = errors.New("has no number: write an amount such as 19.99 or 1.049,99 €, or leave the cell empty")
)

// DecimalMark returns what a price text says about the decimal mark of its writer: '.' or
// ',', and whether it is sure. It is not if exactly three digits follow the only mark
// ("1.234"), which may then separate thousands. DecimalMark returns 0 for a text without
// either mark, and for one that is no amount.
func DecimalMark(text string) (mark rune, sure bool) {
	n, ok := parseNumber(text)
	last := len(n.marks) - 1
	if !ok || last < 0 || n.marks[last] != '.' && n.marks[last] != ',' {
		return 0, false
	}
	mark = n.marks[last]
	switch first := slices.Index(n.marks, mark); {
	case last == 0:
		return mark, !grouped(n.groups, n.marks)
	case first == last:
		return mark, true // "1.234,5": the other mark separates thousands
	case grouped(n.groups, n.marks):
		return '.' + ',' - mark, true // "1.234.567"
	}
	return 0, false
}

// ReadAmount reads a price text of a person whose decimal mark is point ('.' or ','; 0 if no
// text has either). Thousands may be separated by the other mark, a space or an apostrophe.
// It never rounds. Errors say what to write instead, without the text.
func (c Currency) ReadAmount(text string, point rune) (Amount, error) {
	if !strings.ContainsFunc(text, unicode.IsDigit) {
		return None, errNoNumber
	}
	n, ok := parseNumber(text)
	if !ok || isNegative(text) || strings.ContainsFunc(text, changesAmount) {
		return None, errNotAmount
	}
	whole, marks, decimals := n.groups, n.marks, ""
	if last := len(marks) - 1; last >= 0 && (marks[last] == point || marks[last] == '٫') {
		whole, marks, decimals = whole[:last+1], marks[:last], whole[last+1]
	}
	switch {
	case slices.Contains(marks, point) || !grouped(whole, marks):
		if point != 0 && strings.ContainsAny(text, ".,") {
			return None, fmt.Errorf("is not an amount with the decimal mark %q", string(point))
		}
		return None, errNotAmount
	case len(decimals) > max(2, c.Digits()):
		return None, fmt.Errorf("has %d decimals, and %s has %d: write two", len(decimals), c, c.Digits())
	case len(decimals) > 2 && strings.Trim(decimals[2:], "0") != "":
		return None, errors.New("has a third decimal, but prices are kept in hundredths: round it to two decimals")
	case c.Digits() > 2 && decimals == "" && len(marks) == 1 && isPoint(marks[0]):
		return None, fmt.Errorf("may have thousands or the three decimals of %s: write it without thousands and with two decimals", c)
	}
	units, err := strconv.ParseInt(strings.Join(whole, "")+decimals, 10, 64)
	if err != nil {
		return None, errNotAmount
	}
	a, err := FromMinor(units, len(decimals))
	if err != nil || a > maxRead {
		return None, errors.New("is above 100,000,000,000")
	}
	return a, nil
}

// changesAmount reports whether a character may make an amount another one ("<5", "19⁹⁹",
// "19½"), or stands for a lost one.
func changesAmount(r rune) bool {
	return unicode.In(r, unicode.Sm, unicode.So, unicode.Sk, unicode.No, unicode.Nl)
}

var noDecimals = strings.NewReplacer(",--", "", ",-", "", ".-", "", ":-", "", "/-", "")

// isNegative reports whether a price text has a minus, or the brackets of accountants. A
// dash in place of decimals ("19,-") is none.
func isNegative(text string) bool {
	first := strings.IndexFunc(text, unicode.IsDigit)
	rest := noDecimals.Replace(text[max(first, 0):])
	return strings.ContainsAny(text[:max(first, 0)], "(-−－–—") || strings.ContainsAny(rest, "-−－")
}

// CurrenciesOf returns the currencies that a price text of a region (upper-case alpha-2) may
// name, the likeliest first: those that each of its signs and codes may mean. It returns
// none if there are no signs. A sign or word that means no currency, or none that the others
// may mean, is unknown.
func (f *Formatter) CurrenciesOf(region, text string) (of []Currency, unknown string) {
	own, _ := RegionCurrency(region)
	for sign := range signsOf(text) {
		meant := signs()[sign]
		if len(meant) == 0 && len(sign) == len(USD) {
			if code, err := ParseCurrency(sign); err == nil {
				meant = []Currency{code}
			}
		}
		if len(meant) == 0 && own != "" && slices.Contains(slices.Collect(signsOf(f.Format(region, own, 0))), sign) {
			meant = []Currency{own}
		}
		if of != nil {
			meant = slices.DeleteFunc(slices.Clone(meant), func(c Currency) bool { return !slices.Contains(of, c) })
		}
		if len(meant) == 0 {
			return nil, sign
		}
		of = meant
	}
	return of, ""
}

// SignsIn returns the known signs and the upper-case codes of currencies in a text, with a
// space between them.
func SignsIn(text string) string {
	var found []string
	for sign := range signsOf(text) {
		code, err := ParseCurrency(sign)
		if len(signs()[sign]) > 0 || err == nil && string(code) == sign {
			found = append(found, sign)
		}
	}
	return strings.Join(found, " ")
}

// signsOf returns the words and currency signs of a text.
func signsOf(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.Sc, r) })
}

package money

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const maxRead Amount = 1e13

// maxTextDigits is the most digits that are kept of a text: more than maxRead has with
// four decimals.
const maxTextDigits = 18

// ReadText returns the amounts in hundredths that a price text may mean, whatever
// its region and currency. It returns none if the text has no number or is not a price (a
// percentage, several numbers, a minus). Usually it returns one; it returns two if a
// separator may separate thousands or decimals: "1.574" is 157400 or, with three
// decimals, 157. It rounds half up to hundredths.
func ReadText(text string) []Amount {
	n, ok := parseNumber(text)
	if !ok {
		return nil
	}
	var found []Amount
	last := len(n.marks) - 1
	if grouped(n.groups, n.marks) {
		found = appendReading(found, n.groups, "")
	}
	if last >= 0 && isPoint(n.marks[last]) && len(n.groups[last+1]) <= 4 &&
		grouped(n.groups[:last+1], n.marks[:last]) && !slices.Contains(n.marks[:last], n.marks[last]) {
		found = appendReading(found, n.groups[:last+1], n.groups[last+1])
	}
	return found
}

// Agrees reports whether a is a possible reading of text as a price in c. A text without
// numbers agrees with any amount; a text with numbers that is not a price agrees with none.
// Three digits after a separator are decimals only in a currency that has three.
func (c Currency) Agrees(a Amount, text string) bool {
	if !strings.ContainsFunc(text, unicode.IsDigit) {
		return true
	}
	readings := ReadText(text)
	if len(readings) == 2 && c.Digits() < 3 {
		readings = readings[:1]
	}
	return slices.Contains(readings, a)
}

// written is a number in a text: "1 299,50" has the groups 1, 299 and 50 and two marks
// between them.
type written struct {
	groups []string // in Latin digits
	marks  []rune   // one sort of space, one apostrophe
}

var separators = strings.NewReplacer("\u00a0", " ", "\u2007", " ", "\u2009", " ", "\u202f", " ",
	"’", "'", "ʼ", "'", "＇", "'", "，", ",", "．", ".")

func parseNumber(text string) (n written, ok bool) {
	var digits []byte
	var before, gap rune // the last two non-digits since the last digit
	for _, r := range separators.Replace(text) {
		d, isDigit := digitValue(r)
		switch {
		case isDigit && len(n.groups) == 0 && len(digits) == 0 && strings.ContainsRune("-−－", gap):
			return written{}, false
		case isDigit && len(n.groups) == 0 && len(digits) == 0 && isPoint(gap) && !isAbbreviated(before):
			n.groups, n.marks, digits = []string{"0"}, []rune{gap}, append(digits, d) // "$.99"
		case isDigit && gap != 0 && len(digits) > 0:
			if before != 0 || !isPoint(gap) && !strings.ContainsRune(" '٬", gap) {
				return written{}, false // a second number
			}
			n.groups, n.marks = append(n.groups, string(digits)), append(n.marks, gap)
			digits = append(digits[:0], d)
		case isDigit:
			digits = append(digits, d)
		case strings.ContainsRune("%٪％﹪", r):
			return written{}, false
		case unicode.Is(unicode.Bidi_Control, r): // only controls the text direction
			continue
		default:
			before, gap = gap, r
			continue
		}
		before, gap = 0, 0
		if len(digits) > maxTextDigits || len(n.groups) > maxTextDigits {
			return written{}, false
		}
	}
	n.groups = append(n.groups, string(digits))
	return n, len(digits) > 0
}

// isAbbreviated reports whether a point behind r ends an abbreviation ("Rs.", "S/.").
func isAbbreviated(r rune) bool { return r == '/' || unicode.IsLetter(r) || unicode.IsMark(r) }

// digitValue returns the Latin digit for a digit of any script.
func digitValue(r rune) (byte, bool) {
	if r < 0x80 {
		return byte(r), '0' <= r && r <= '9'
	}
	if !unicode.IsDigit(r) {
		return 0, false
	}
	// The digits of a script are consecutive and begin with its zero.
	zero := r
	for unicode.IsDigit(zero - 1) {
		zero--
	}
	return '0' + byte((r-zero)%10), true
}

// grouped reports whether the groups form one whole number: groups of three digits, or as
// in India, where the last group has three digits and those before it have two.
func grouped(groups []string, marks []rune) bool {
	if len(marks) == 0 {
		return true
	}
	last := len(groups) - 1
	if len(groups[0]) > 3 || groups[0][0] == '0' || len(groups[last]) != 3 || marks[0] == '٫' {
		return false
	}
	size := 3
	if last > 1 && len(groups[1]) == 2 && len(groups[0]) <= 2 {
		size = 2
	}
	for i, g := range groups[1:last] {
		if len(g) != size || marks[i+1] != marks[0] {
			return false
		}
	}
	return true
}

// appendReading appends the amount of the whole groups and decimals, unless it is too
// large.
func appendReading(found []Amount, whole []string, decimals string) []Amount {
	units, err := strconv.ParseInt(strings.Join(whole, "")+decimals, 10, 64)
	if err != nil {
		return found
	}
	if a, err := FromMinor(units, len(decimals)); err == nil && a <= maxRead {
		found = append(found, a)
	}
	return found
}

func isPoint(r rune) bool { return r == '.' || r == ',' || r == '٫' }

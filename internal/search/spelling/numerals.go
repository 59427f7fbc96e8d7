package spelling

import (
	"strconv"
	"strings"
	"unicode"
)

// numerals has the Roman numerals from 1 to 50 by the Arabic ones, and the reverse.
var numerals = func() map[string]string {
	all := map[string]string{}
	for n := 1; n <= 50; n++ {
		arabic := strconv.Itoa(n)
		roman := [...]string{"", "x", "xx", "xxx", "xl", "l"}[n/10] + [...]string{"", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"}[n%10]
		all[arabic], all[roman] = roman, arabic
	}
	return all
}()

// AlternateNumeral returns the Arabic numeral for a Roman one from 1 to 50, in lower case,
// and the reverse. For any other word it returns "".
func AlternateNumeral(word string) string { return numerals[word] }

// HasDigit reports whether a word has a digit in any script.
func HasDigit(word string) bool { return strings.IndexFunc(word, unicode.IsDigit) >= 0 }

// IsYear reports whether a word is a year in which a game may have been released.
func IsYear(word string) bool {
	return len(word) == 4 && "1980" <= word && word < "2050" && IsArabic(word)
}

// IsNumber reports whether a word is a number: an Arabic or a Roman numeral.
func IsNumber(word string) bool { return IsArabic(word) || AlternateNumeral(word) != "" }

// IsArabic reports whether a word has only the digits 0 to 9. The empty word has.
func IsArabic(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return r < '0' || r > '9' })
}

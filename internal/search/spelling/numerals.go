package spelling

import (
	"strconv"
	"strings"
	"unicode"
)

var (
	romanTens = [...]string{"", "x", "xx", "xxx", "xl", "l"}
	romanOnes = [...]string{"", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"}
)

// AlternateNumeral returns the Arabic numeral for a Roman one from 1 to 50, in lower case,
// and the reverse. For any other word it returns "".
func AlternateNumeral(word string) string {
	const longest = len("xxxviii")
	if len(word) > longest {
		return ""
	}
	if n := arabic(word); 1 <= n && n <= 50 {
		return romanTens[n/10] + romanOnes[n%10]
	}
	for tens, prefix := range romanTens {
		rest, ok := strings.CutPrefix(word, prefix)
		if !ok {
			continue
		}
		for ones, roman := range romanOnes {
			if n := 10*tens + ones; rest == roman && 1 <= n && n <= 50 {
				return strconv.Itoa(n)
			}
		}
	}
	return ""
}

// arabic returns the value of an Arabic numeral from 1 to 99 without leading zeros, or 0.
func arabic(word string) int {
	n := 0
	for i := range len(word) {
		digit := int(word[i]) - '0'
		if digit < 0 || digit > 9 || n == 0 && digit == 0 || i == 2 {
			return 0
		}
		n = 10*n + digit
	}
	return n
}

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

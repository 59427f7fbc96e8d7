package wire

import (
	"strconv"
	"unicode/utf8"

	"gamedex/internal/index"
	"gamedex/internal/money"
)

const hexDigits = "0123456789abcdef"

// unescaped holds the bytes that a JSON string contains as they are: all of
// UTF-8 but control characters, quotes and backslashes.
var unescaped = func() (t [256]bool) {
	for c := ' '; c < 256; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// AppendString appends s as a JSON string. It escapes nothing for HTML and
// writes the replacement character for each byte that is not UTF-8.
func AppendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		valid := make([]byte, 0, len(s)+8)
		for _, r := range s {
			valid = utf8.AppendRune(valid, r)
		}
		s = string(valid)
	}
	return AppendText(dst, s)
}

// AppendText appends s as a JSON string. s must be UTF-8, as all texts of the
// index are. Only quotes, backslashes and control characters are escaped.
func AppendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		if unescaped[s[i]] {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c := s[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(append(dst, s[start:]...), '"')
}

// NeedsEscape reports whether a JSON string cannot contain text as it is.
func NeedsEscape(text []byte) bool {
	for _, c := range text {
		if !unescaped[c] {
			return true
		}
	}
	return false
}

// AppendComma appends the comma before element i of a list.
func AppendComma(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return dst
}

// AppendTextOrNull appends null for the empty text.
func AppendTextOrNull(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, `null`...)
	}
	return AppendText(dst, s)
}

// AppendStrings appends an array of strings.
func AppendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		dst = AppendComma(dst, i)
		dst = AppendString(dst, s)
	}
	return append(dst, ']')
}

// AppendList appends a list of the index as an array of strings.
func AppendList(dst []byte, l index.List) []byte {
	dst = append(dst, '[')
	for i := range l.Len() {
		dst = AppendComma(dst, i)
		dst = AppendText(dst, l.At(i))
	}
	return append(dst, ']')
}

// AppendInt appends n in decimal.
func AppendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// AppendAmount appends an amount in hundredths, null if it is not known.
func AppendAmount(dst []byte, a money.Amount) []byte {
	if !a.Known() {
		return append(dst, `null`...)
	}
	return AppendInt(dst, int64(a))
}

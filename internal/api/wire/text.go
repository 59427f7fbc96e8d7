package wire

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"gamedex/internal/index"
	"gamedex/internal/money"
)

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
		return appendEscaped(dst, s)
	}
	return AppendText(dst, s)
}

// AppendText appends s as a JSON string. s must be UTF-8, as all texts of the
// index are. Only quotes, backslashes and control characters are escaped, and
// most texts have none: AppendText checks and copies eight bytes at a time. The
// last eight overlap the ones before them where the length is not a multiple of
// eight. Byte by byte, a bulk request takes 5 to 7 % longer; decision 20 says why
// that is enough here.
func AppendText(dst []byte, s string) []byte {
	start := len(dst)
	dst = slices.Grow(dst, len(s)+2)
	to := dst[start : start+len(s)+2]
	to[0], to[len(to)-1] = '"', '"'
	to = to[1 : len(to)-1]
	if len(s) < 8 {
		for i := range len(to) {
			if !unescaped[s[i]] {
				return appendEscaped(dst[:start], s)
			}
			to[i] = s[i]
		}
		return dst[:start+len(s)+2]
	}
	var escapes uint64
	for i := 0; i < len(s)-8; i += 8 {
		w := load64(s[i:])
		binary.LittleEndian.PutUint64(to[i:], w)
		escapes |= findEscapes(w)
	}
	w := load64(s[len(s)-8:])
	binary.LittleEndian.PutUint64(to[len(to)-8:], w)
	if escapes|findEscapes(w) != 0 {
		return appendEscaped(dst[:start], s)
	}
	return dst[:start+len(s)+2]
}

func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// findEscapes returns zero if none of eight bytes is a quote, a backslash or a
// control character. The highest bit of a byte in v-low&^v is set where the
// byte was zero. It can also be set in the bytes above a zero byte, but never
// if there is no zero byte.
func findEscapes(v uint64) uint64 {
	const low, high = 0x0101010101010101, 0x8080808080808080
	quote, backslash := v^low*'"', v^low*'\\'
	return ((quote-low)&^quote | (backslash-low)&^backslash | (v-low*' ')&^v) & high
}

// appendEscaped is AppendString for a text that needs escapes or is not UTF-8.
func appendEscaped(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
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

// AppendInt appends n in decimal. Nearly all numbers have at most eight digits,
// which are computed side by side in one word. With strconv for all of them, a
// bulk request takes 4 to 5 % longer; decision 20 says why that is enough here.
func AppendInt(dst []byte, n int64) []byte {
	if uint64(n) < 10 {
		return append(dst, byte('0'+n))
	}
	if n < 0 || n >= 1e8 || cap(dst)-len(dst) < 8 {
		return strconv.AppendInt(dst, n, 10)
	}
	digits := eightDigits(uint32(n))
	zeros := bits.TrailingZeros64(digits|1<<56) / 8 // in front; the last digit stays
	dst = binary.LittleEndian.AppendUint64(dst, (digits|0x3030303030303030)>>(8*zeros))
	return dst[:len(dst)-zeros]
}

// eightDigits returns the digits of a number below 1e8, a byte each, with the
// first one in the lowest byte. It divides by 10000, then both halves by 100,
// then all four quarters by 10, each time with one multiplication for all parts:
// for numbers this small, n*10486>>20 is n/100 and n*103>>10 is n/10.
func eightDigits(n uint32) uint64 {
	v := uint64(n/1e4) | uint64(n%1e4)<<32
	hundreds := v * 10486 >> 20 & 0x0000007f_0000007f
	v = hundreds | (v-100*hundreds)<<16
	tens := v * 103 >> 10 & 0x000f_000f_000f_000f
	return tens | (v-10*tens)<<8
}

// AppendAmount appends an amount in hundredths, null if it is not known.
func AppendAmount(dst []byte, a money.Amount) []byte {
	if !a.Known() {
		return append(dst, `null`...)
	}
	return AppendInt(dst, int64(a))
}

package api

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// plain marks the bytes that stand in a JSON string as they are: all of UTF-8
// but control characters, quotes and backslashes.
var plain = func() (t [256]bool) {
	for c := ' '; c < 256; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// appendString appends s as a JSON string. Nothing is escaped for HTML; bytes
// that are not UTF-8 become the replacement character.
func appendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = replaceInvalid(s)
	}
	return appendText(dst, s)
}

// replaceInvalid puts one replacement character for each byte that is not UTF-8.
func replaceInvalid(s string) string {
	out := make([]byte, 0, len(s)+8)
	for _, r := range s {
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

// appendText appends s, which must be UTF-8 as all texts of the index are, as a
// JSON string. Then only quotes, backslashes and control characters are written
// otherwise, and most texts have none: eight bytes are looked at and copied at
// a time, the last eight once more if they are cut short.
func appendText(dst []byte, s string) []byte {
	start := len(dst)
	dst = slices.Grow(dst, len(s)+2)
	to := dst[start : start+len(s)+2]
	to[0], to[len(to)-1] = '"', '"'
	to = to[1 : len(to)-1]
	if len(s) < 8 {
		for i := range len(to) {
			if !plain[s[i]] {
				return appendEscaped(dst[:start], s)
			}
			to[i] = s[i]
		}
		return dst[:start+len(s)+2]
	}
	var odd uint64
	for i := 0; i < len(s)-8; i += 8 {
		w := load64(s[i:])
		binary.LittleEndian.PutUint64(to[i:], w)
		odd |= notPlain(w)
	}
	w := load64(s[len(s)-8:])
	binary.LittleEndian.PutUint64(to[len(to)-8:], w)
	if odd|notPlain(w) != 0 {
		return appendEscaped(dst[:start], s)
	}
	return dst[:start+len(s)+2]
}

func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// notPlain is zero if none of eight bytes is a quote, a backslash or a control
// character. In v-low&^v a byte's highest bit is set where it was zero; it may
// be set above one that was, but never where no byte was.
func notPlain(v uint64) uint64 {
	const low, high = 0x0101010101010101, 0x8080808080808080
	quote, backslash := v^low*'"', v^low*'\\'
	return ((quote-low)&^quote | (backslash-low)&^backslash | (v-low*' ')&^v) & high
}

// appendEscaped is appendText for what has something to escape.
func appendEscaped(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		if !plain[s[i]] {
			dst = appendEscape(append(dst, s[start:i]...), s[i])
			start = i + 1
		}
	}
	return append(append(dst, s[start:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// appendTextOrNull appends null for the empty text.
func appendTextOrNull(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, `null`...)
	}
	return appendText(dst, s)
}

func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, s)
	}
	return append(dst, ']')
}

// appendInt appends n in decimal. Nearly all numbers have at most eight digits;
// those are made side by side in one word and none of them by a loop.
func appendInt(dst []byte, n int64) []byte {
	if n < 0 || n >= 1e8 || cap(dst)-len(dst) < 8 {
		return strconv.AppendInt(dst, n, 10)
	}
	digits := eightDigits(uint32(n))
	zeros := bits.TrailingZeros64(digits|1<<56) / 8 // in front; the last digit stays
	dst = binary.LittleEndian.AppendUint64(dst, (digits|0x3030303030303030)>>(8*zeros))
	return dst[:len(dst)-zeros]
}

// eightDigits spreads a number below 1e8 over the bytes of a word, its first
// digit in the lowest. It is divided by 10000, then both halves by 100, then
// all four quarters by 10, each time in one multiplication for all parts: with
// so few bits, n*10486>>20 is n/100 and n*103>>10 is n/10.
func eightDigits(n uint32) uint64 {
	v := uint64(n/1e4) | uint64(n%1e4)<<32
	hundreds := v * 10486 >> 20 & 0x0000007f_0000007f
	v = hundreds | (v-100*hundreds)<<16
	tens := v * 103 >> 10 & 0x000f_000f_000f_000f
	return tens | (v-10*tens)<<8
}

const digitPairs = "00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

func appendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

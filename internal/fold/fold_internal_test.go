package fold

import (
	"testing"

	"pgregory.net/rapid"
)

// TestPlainIsOnlyFaster compares the fast path of folding with the general path.
func TestPlainIsOnlyFaster(t *testing.T) {
	letters := []rune("azAZ09 '`-!.\u00a0")
	for r := rune(0x400); r < 0x530; r++ { // all Cyrillic letters and combining marks
		letters = append(letters, r)
	}
	letters = append(letters, '\u0301', '\u0306', '\u0308')
	plain := []rune("абвйъяёіїєґАБВЙЪЯЁІЇЄҐazAZ09 '`-")
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.SampledFrom([][]rune{letters, plain}).Draw(t, "letters")
		in := rapid.StringOf(rapid.SampledFrom(from)).Draw(t, "in")
		short, ok := appendPlain([]byte("before"), in)
		if !ok {
			if string(short) != "before" {
				t.Fatalf("%q: not folded, but %q was appended", in, short)
			}
			return
		}
		if long := appendUnicode([]byte("before"), in); string(short) != string(long) {
			t.Fatalf("%q: %q, the general path %q", in, short, long)
		}
	})
}

package bulk

import (
	"strings"
	"testing"
)

// FuzzCursor checks that a text is either refused or exactly what its cursor is written as.
func FuzzCursor(f *testing.F) {
	for _, c := range []Cursor{{}, {Seq: 7, At: 1_795_158_012_345, Source: 1 << 63, Form: 1<<32 - 1}} {
		text := string(c.Append(nil))
		for _, seed := range []string{text, text[1:], text + "A", "B" + text[1:], strings.ToLower(text), text + "=", " " + text, text[:9] + "\r\n" + text[9:]} {
			f.Add(seed)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCursor(text)
		if err != nil {
			return
		}
		if again := string(c.Append(nil)); again != text || c.Seq < 0 || c.At < 0 {
			t.Errorf("%q reads as %+v, which is written as %q", text, c, again)
		}
	})
}

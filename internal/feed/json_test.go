package feed_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
)

// FuzzLine checks that the reader never panics and that a refusal has a reason. It checks
// that an accepted listing is the same after writing and reading.
func FuzzLine(f *testing.F) {
	for _, tt := range refusals {
		f.Add([]byte(tt.line))
	}
	for _, good := range []string{exampleConsole, examplePC, fullLine, console(``), pc(`"titles":{"ru":"\u0451"}`), "# comment", "\ufeff{}"} {
		f.Add([]byte(good))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := feed.NewReader(strings.NewReader(string(data)), clock)
		if err != nil {
			return
		}
		var l catalog.Listing
		for {
			_, err := r.Next(&l)
			if refused, ok := err.(*feed.LineError); ok {
				checkReason(t, refused)
				continue
			}
			if err != nil {
				return
			}
			checkAgain(t, l)
		}
	})
}

// TestStringsAgreeWithEncodingJSON checks that a string decodes to the same text with any
// escapes.
func TestStringsAgreeWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quoted := escaped(t, rapid.StringN(1, 30, -1).Draw(t, "text"))
		var want string
		if err := json.Unmarshal([]byte(quoted), &want); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(want, "\x00") {
			return // refused
		}
		if got := read(t, console(`"family":`+quoted)).Facts.Family; got != want {
			t.Fatalf("%s is read as %q, want %q", quoted, got, want)
		}
	})
}

// escaped returns a JSON string with random unnecessary escapes.
func escaped(t *rapid.T, s string) string {
	plain, _ := json.Marshal(s)
	var b strings.Builder
	for _, r := range string(plain[1 : len(plain)-1]) {
		if r > 0xffff && rapid.Bool().Draw(t, "escape") {
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		} else if r > '~' && r <= 0xffff && rapid.Bool().Draw(t, "escape") {
			fmt.Fprintf(&b, `\u%04X`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

package feed_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
)

// FuzzLine checks that the reader never panics and that a refusal has a reason. It checks
// that encoding/json accepts every accepted text, and that the listing is the same after
// writing and reading.
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
				if refused.Line == 0 || refused.Reason == "" || !utf8.ValidString(refused.Error()) {
					t.Errorf("refused without a reason: %#v", refused)
				}
				continue
			}
			if err != nil {
				return
			}
			if again := read(t, written(t, l)); written(t, again) != written(t, l) {
				t.Errorf("read back as\n%s%s", written(t, l), written(t, again))
			}
		}
	})
}

// TestScannerAgreesWithEncodingJSON checks that the scanner and encoding/json accept the
// same documents, among valid, nearly valid and broken ones.
func TestScannerAgreesWithEncodingJSON(t *testing.T) {
	valid, invalid := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		value := mutated(t, anyJSON(3).Draw(t, "value"))
		text := console(`"more":` + value)
		_, err := newReader(t, text).Next(new(catalog.Listing))
		want := json.Valid([]byte(text)) && utf8.ValidString(text) && !hasTwice(text) && !hasLoneSurrogate(text)
		if got := err == nil; got != want {
			t.Fatalf("accepted: %t, want %t (%v)\n%q", got, want, err, text)
		}
		if want {
			valid++
		} else {
			invalid++
		}
	})
	if valid == 0 || invalid == 0 {
		t.Errorf("%d valid and %d invalid documents: this tests nothing without both", valid, invalid)
	}
}

// TestScannerEdges checks the edge cases of the grammar against encoding/json.
func TestScannerEdges(t *testing.T) {
	values := []string{
		"0", "-0", "01", "-", "-a", "+1", "1.", ".5", "1.5", "1e", "1e+", "1e5", "1E-05", "0x1", "NaN", "Infinity",
		"true", "tru", "truE", "truex", "nul", "null", "None", "''", "",
		"\"a\tb\"", "\"a\x01b\"", "\"\x7f\"", `"\t"`, `"\x"`, `"\u00e"`, `"\u00eg"`, `"\u00eG"`, `"\u00E9"`, `"\`, `"\u12`, `"\"`, `"a`, "\"\u2028\"",
		"\"\\n\tb\"", "[]", "[1,]", "[,1]", "[1 2]", "[1", "]", "{}", `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a":1 "b":2}`, `{"a" 1}`, `{1:1}`,
		"/* */ 1", "1 // a", "\v1", "\u00a01", "1\x00",
	}
	for _, value := range values {
		text := console(`"more":` + value)
		_, err := newReader(t, text).Next(new(catalog.Listing))
		if got, want := err == nil, json.Valid([]byte(text)); got != want {
			t.Errorf("%q: accepted %t, want %t (%v)", value, got, want, err)
		}
	}
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

func anyJSON(depth int) *rapid.Generator[string] {
	scalar := rapid.OneOf(
		rapid.SampledFrom([]string{"null", "true", "false", "0", "-0", "1.5e+10", "-12.0E-3", `""`, `"\u00e9\ud83d\ude00\\\/"`, "1E2"}),
		rapid.Custom(func(t *rapid.T) string {
			b, _ := json.Marshal(rapid.String().Draw(t, "text"))
			return string(b)
		}),
	)
	if depth == 0 {
		return scalar
	}
	inner := rapid.SliceOfN(anyJSON(depth-1), 0, 3)
	return rapid.OneOf(scalar,
		rapid.Custom(func(t *rapid.T) string { return "[ " + strings.Join(inner.Draw(t, "list"), " ,") + "]" }),
		rapid.Custom(func(t *rapid.T) string {
			members := inner.Draw(t, "object")
			for i := range members {
				members[i] = fmt.Sprintf(`"%c" : %s`, 'a'+rapid.IntRange(0, 9).Draw(t, "name"), members[i])
			}
			return "{" + strings.Join(members, ",\t") + " }"
		}))
}

// mutated replaces, removes or adds a byte or two, or returns s unchanged.
func mutated(t *rapid.T, s string) string {
	for range rapid.IntRange(0, 2).Draw(t, "mutations") {
		at := rapid.IntRange(0, len(s)).Draw(t, "at")
		to := min(len(s), at+rapid.IntRange(0, 1).Draw(t, "remove"))
		s = s[:at] + rapid.SampledFrom(strings.Split(`, : { } [ ] " \ 0 1 - + . e x u d8 `+"\t \xff \x01", " ")).Draw(t, "add") + s[to:]
	}
	return s
}

// hasTwice reports whether an object has one name twice, according to the tokens of
// encoding/json.
func hasTwice(text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	type level struct {
		object, value bool // value: a name was read
		names         []string
	}
	stack := []level{{}}
	for {
		token, err := d.Token()
		if err == io.EOF || err != nil {
			return false
		}
		top := &stack[len(stack)-1]
		if name, ok := token.(string); ok && top.object && !top.value {
			if slices.Contains(top.names, name) {
				return true
			}
			top.names, top.value = append(top.names, name), true
			continue
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			stack = stack[:len(stack)-1]
			continue
		}
		top.value = false
		if delim, ok := token.(json.Delim); ok {
			stack = append(stack, level{object: delim == '{'})
		}
	}
}

// hasLoneSurrogate reports whether text has a lone surrogate. encoding/json reads one as
// the replacement character, which the documents never contain in this form.
func hasLoneSurrogate(text string) bool {
	lower := strings.ToLower(text)
	for i := 0; i+6 <= len(lower); i++ {
		if lower[i] != '\\' {
			continue
		}
		switch {
		case lower[i+1] != 'u':
			i++
		case strings.HasPrefix(lower[i+2:], "d8"), strings.HasPrefix(lower[i+2:], "d9"), strings.HasPrefix(lower[i+2:], "da"), strings.HasPrefix(lower[i+2:], "db"):
			next := lower[i+6:]
			if len(next) < 6 || !strings.HasPrefix(next, `\ud`) || !strings.ContainsRune("cdef", rune(next[3])) {
				return true
			}
			i += 11
		case lower[i+2] == 'd' && lower[i+3] >= 'c' && lower[i+3] <= 'f':
			return true
		}
	}
	return false
}

package params

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"gamedex/internal/api/selection"
)

// TestIDListAgreesWithAMap compares the list with a map, also after its memory
// was used before.
func TestIDListAgreesWithAMap(t *testing.T) {
	var list IDList
	rapid.Check(t, func(t *rapid.T) {
		list.Reset()
		text := rapid.StringOfN(rapid.RuneFrom([]rune("abABÄä,; \n\t-1")), 0, 400, -1).Draw(t, "text")
		list.Add(text, false)
		var want []selection.ID
		var spelled []selection.Spelling
		seen, numbers := map[string]bool{}, map[string]int32{}
		for _, id := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",; \n\t", r) }) {
			if !seen[strings.ToLower(id)] {
				seen[strings.ToLower(id)] = true
				key := strings.ToLower(id)
				if len(id) == 8 && !strings.ContainsAny(id, "Ää-") {
					key = strings.ToUpper(id)
				}
				numbers[strings.ToLower(id)] = int32(len(want))
				want = append(want, selection.ID{Sent: id, Key: key})
			}
			if s := (selection.Spelling{Text: id, ID: numbers[strings.ToLower(id)]}); !slices.Contains(spelled, s) {
				spelled = append(spelled, s)
			}
		}
		if !slices.Equal(list.Spellings, spelled) {
			t.Fatalf("%q: spellings %v, want %v", text, list.Spellings, spelled)
		}
		if !slices.Equal(list.IDs, want) {
			t.Fatalf("%q: %v, want %v", text, list.IDs, want)
		}
	})
}

// TestBodyAgreesWithTheStandardLibrary feeds texts that are almost JSON, and valid ones.
func TestBodyAgreesWithTheStandardLibrary(t *testing.T) {
	parts := rapid.SampledFrom([]string{"{", "}", "[", "]", ",", ":", `"a"`, `"\u00e9"`, `"\x"`, `"`, "1", "-", "0", ".5", "e3", "true", "null", " ", "\n", "x"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(parts, 0, 12).Draw(t, "parts"), "")
		if rapid.Bool().Draw(t, "valid") {
			text = `"\u0022"`
			for range rapid.IntRange(0, 5).Draw(t, "depth") {
				text = rapid.SampledFrom([]string{"[" + text + ",-2.5e+3,[]]", `{"y" : ` + text + `,"":null}`}).Draw(t, "value")
			}
		}
		text = `{"x":` + text + `}`
		got := NewObject("ids").Parse([]byte(text)) == nil
		if want := json.Valid([]byte(text)) && utf8.ValidString(text); got != want {
			t.Fatalf("%q is read: %v, by the standard library: %v", text, got, want)
		}
	})
}

func TestUnescape(t *testing.T) {
	for sent, want := range map[string]string{
		"": "", "abc": "abc", "a+b": "a b", "%41%42": "AB", "%d1%8F": "я", "a;b": "a;b", "%2B": "+", "%00": "\x00",
	} {
		if got, ok := unescape(sent); !ok || got != want {
			t.Errorf("unescape(%q) = %q, %v, want %q", sent, got, ok, want)
		}
	}
	for _, broken := range []string{"%", "%4", "%zz", "a%2", "%ff", "\xff", "%d1", "%c3%28", "+%"} {
		if got, ok := unescape(broken); ok || got != broken {
			t.Errorf("unescape(%q) = %q, %v, want it refused", broken, got, ok)
		}
	}
}

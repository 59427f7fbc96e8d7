package game

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPlainText(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"plain", "One line.", []string{"One line."}},
		{"lines", "One.\n\n  Two\tlines. \r\nThree.", []string{"One.", "Two lines.", "Three."}},
		{"breaks", "One.<br>Two.<BR/>Three.<br />Four.", []string{"One.", "Two.", "Three.", "Four."}},
		{"paragraphs", "<p>One <b>bold</b> word.</p><p class=\"x\">Two.</p>", []string{"One bold word.", "Two."}},
		{"list", "<ul><li>One</li><li>Two</li></ul>", []string{"• One", "• Two"}},
		{"entities", "Tom &amp; Jerry&#39;s &lt;3 &nbsp;end", []string{"Tom & Jerry's <3 end"}},
		{"no markup", "2 < 3 > 1 <3 a<", []string{"2 < 3 > 1 <3 a<"}},
		{"escaped markup is text", "&lt;script&gt;x&lt;/script&gt;", []string{"<script>x</script>"}},
		{"scripts go", "a<script>alert(1)</SCRIPT >b<style>p{}</style>c", []string{"abc"}},
		{"a script without end", "a<script>alert(1)", []string{"a"}},
		{"comments", "a<!-- b > c -->d<!doctype html>e", []string{"ade"}},
		{"unfinished", "a<b c", []string{"a<b c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, plainText(tt.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPlainTextTakesAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"<", ">", "</", "<script", "<!--", "-->", "&lt;", "<br>", "İ"})))
		for _, p := range plainText(strings.Join(parts.Draw(t, "parts"), "")) {
			if p == "" || strings.ContainsAny(p, "\n\r\t") {
				t.Fatalf("paragraph %q", p)
			}
		}
	})
}

// TestPlainTextOfHostileText checks that the time grows with the length of a text, not
// with its square: then each of these texts takes milliseconds, not minutes.
func TestPlainTextOfHostileText(t *testing.T) {
	for text, want := range map[string]int{
		"<script></script>": 0, "<script>": 0, "<style></": 0, "<a": 1, "<": 1, "</": 1, "<!--": 1, "&": 1, "<i><": 1, "< x": 1, "<br>": 0, "&lt;p": 1,
	} {
		for _, end := range []string{"", ">"} {
			got := plainText(strings.Repeat(text, 1<<20/len(text)) + end)
			if len(got) > want+1 {
				t.Errorf("%s%s: %d paragraphs", text, end, len(got))
			}
		}
	}
}

func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paragraphs := rapid.SliceOf(rapid.StringN(1, 40, -1)).Draw(t, "paragraphs")
		most := rapid.IntRange(1, 200).Draw(t, "most")
		shown, rest := split(paragraphs, rapid.IntRange(1, most).Draw(t, "at once"), most)
		if len(paragraphs) > 0 && len(shown) == 0 {
			t.Fatal("nothing is shown")
		}
		all := strings.Join(append(shown, rest...), "")
		whole := strings.Join(paragraphs, "")
		if n := utf8.RuneCountInString(all); n > most+1 || all != whole && !strings.HasPrefix(whole, strings.TrimSuffix(all, "…")) {
			t.Fatalf("%d of at most %d characters: %q of %q", n, most, all, whole)
		}
	})
}

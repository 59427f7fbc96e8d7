package web

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// TestMarkupKeepsTextsApart checks that a text stays one value of an attribute and one text of an
// element, whatever it contains.
func TestMarkupKeepsTextsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune(`<>"'&;/= ab#x`))).Draw(t, "text")
		var m Markup
		m.Tags(`<p title="`)
		m.Text(text)
		m.Tags(`">`)
		m.Text(text)
		m.Number(-7)
		m.Tags(`</p>`)
		z := html.NewTokenizer(strings.NewReader(string(m.HTML())))
		var attribute, content string
		tags := 0
		for z.Next() != html.ErrorToken {
			switch token := z.Token(); token.Type {
			case html.StartTagToken:
				tags++
				attribute = token.Attr[0].Val
			case html.TextToken:
				content += token.Data
			}
		}
		if tags != 1 || attribute != text || content != text+"-7" {
			t.Fatalf("%q became %d elements, %q and %q: %s", text, tags, attribute, content, m.HTML())
		}
	})
}

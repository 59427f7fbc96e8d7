// Package markup takes the text out of descriptions that stores write as HTML.
//
//	"<p>One <b>bold</b> word.</p>2 &lt; 3" ─► "\nOne bold word.\n2 < 3"
//
// It refuses to trim and to escape: what a line may look like is up to the caller.
package markup

import (
	"strings"

	"golang.org/x/net/html"
)

// Text returns the text without tags, comments, scripts and styles. Breaks and blocks begin a
// line, and item is put before each item of a list. Text that only looks like a tag stays. tail
// is a tag that is cut off at the end.
func Text(s, item string) (text, tail string) {
	var b strings.Builder
	tokens, hidden := html.NewTokenizer(strings.NewReader(s)), false
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		if kind == html.TextToken && !hidden {
			b.Write(tokens.Text())
		}
		hidden = false
		if kind != html.StartTagToken && kind != html.EndTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		switch name, _ := tokens.TagName(); string(name) {
		case "script", "style":
			hidden = kind == html.StartTagToken // what follows is not text
		case "li":
			b.WriteByte('\n')
			if kind == html.StartTagToken {
				b.WriteString(item)
			}
		case "br", "p", "div", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table":
			b.WriteByte('\n')
		}
	}
	return b.String(), string(tokens.Raw())
}

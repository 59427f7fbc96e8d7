package game

import (
	"strings"

	"golang.org/x/net/html"
)

// plainText returns the paragraphs of a store's text without markup. Text that
// only looks like markup ("2 < 3") stays. The result is not escaped.
func plainText(s string) (paragraphs []string) {
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
				b.WriteString("• ")
			}
		case "br", "p", "div", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table":
			b.WriteByte('\n')
		}
	}
	b.Write(tokens.Raw()) // a tag without end
	for line := range strings.Lines(b.String()) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			paragraphs = append(paragraphs, line)
		}
	}
	return paragraphs
}

// split divides paragraphs into those that are shown at once, up to atOnce characters,
// and the rest. It cuts off everything beyond limit characters.
func split(paragraphs []string, atOnce, limit int) (shown, rest []string) {
	left := limit
	for _, p := range paragraphs {
		runes := []rune(p)
		if len(runes) > left {
			runes = append(runes[:left:left], '…')
		}
		room := atOnce - (limit - left)
		left -= len(runes)
		switch {
		case len(runes) <= room:
			shown = append(shown, string(runes))
		case len(shown) == 0 && len(rest) == 0:
			// Break after the last space, if there is one.
			at := room
			for i := room; i > 0; i-- {
				if runes[i-1] == ' ' {
					at = i
					break
				}
			}
			shown, rest = append(shown, string(runes[:at])), append(rest, string(runes[at:]))
		default:
			rest = append(rest, string(runes))
		}
		if left <= 0 {
			break
		}
	}
	return shown, rest
}

package dashboard

import (
	"html"
	"slices"
	"strings"
)

// plainText makes of a store's text, which may hold markup, its paragraphs
// without any. What only looks like markup ("2 < 3") stays. The result is
// text, to be escaped like any other.
func plainText(s string) []string {
	var b strings.Builder
	for s != "" {
		text, rest, found := strings.Cut(s, "<")
		b.WriteString(text)
		if !found {
			break
		}
		name, after, ok := cutTag(rest)
		switch {
		case !ok:
			b.WriteByte('<')
			s = rest
			continue
		case name == "script" || name == "style":
			after = afterElement(after, name)
		}
		b.WriteString(spaceFor(name))
		s = after
	}
	var paragraphs []string
	for line := range strings.Lines(html.UnescapeString(b.String())) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			paragraphs = append(paragraphs, line)
		}
	}
	return paragraphs
}

// cutTag cuts a tag, without the "<" before it, off a text. The name of an
// ending tag keeps its slash. ok is false if there is no tag.
func cutTag(s string) (name, rest string, ok bool) {
	if strings.HasPrefix(s, "!--") {
		_, rest, ok = strings.Cut(s, "-->")
		return "", rest, ok
	}
	tag, rest, ok := strings.Cut(s, ">")
	name, ending := strings.CutPrefix(tag, "/")
	if !ok || name == "" || !isTagLetter(name[0]) && name[0] != '!' {
		return "", s, false
	}
	if end := strings.IndexAny(name, " \t\r\n/"); end >= 0 {
		name = name[:end]
	}
	if ending {
		name = "/" + name
	}
	return strings.ToLower(name), rest, true
}

func isTagLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// afterElement is what follows the end of an element whose content is no text.
func afterElement(s, name string) string {
	if at := strings.Index(strings.ToLower(s), "</"+name); at >= 0 && at < len(s) {
		_, rest, _ := strings.Cut(s[at:], ">")
		return rest
	}
	return ""
}

// spaceFor is what stands in a text in place of a tag.
func spaceFor(name string) string {
	switch {
	case name == "li":
		return "\n• "
	case slices.Contains([]string{"br", "p", "li", "div", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table"}, strings.TrimPrefix(name, "/")):
		return "\n"
	}
	return ""
}

// fold divides paragraphs into those to show at once, about that many
// characters of them, and the rest. Beyond most characters all is cut off.
func fold(paragraphs []string, atOnce, most int) (shown, rest []string) {
	left := most
	for _, p := range paragraphs {
		runes := []rune(p)
		if len(runes) > left {
			runes = append(runes[:left:left], '…')
		}
		room := atOnce - (most - left)
		left -= len(runes)
		switch {
		case len(runes) <= room:
			shown = append(shown, string(runes))
		case len(shown) == 0 && len(rest) == 0:
			at := wordEnd(runes, room)
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

// wordEnd is where to break a text of more than n characters: after the last
// space of the first n, or after n.
func wordEnd(text []rune, n int) int {
	for i := n; i > 0; i-- {
		if text[i-1] == ' ' {
			return i
		}
	}
	return n
}

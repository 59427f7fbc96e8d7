package explore

import (
	"html"
	"slices"
	"strings"
)

// plainText returns the paragraphs of a store's text without markup. Text that
// only looks like markup ("2 < 3") stays. The result is not escaped.
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

// cutTag cuts a tag, whose "<" is cut already, off the beginning of a text. The
// name of a closing tag keeps its slash. It reports false if there is no tag.
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

// afterElement returns what follows the end of an element whose content is not
// text.
func afterElement(s, name string) string {
	if at := strings.Index(strings.ToLower(s), "</"+name); at >= 0 && at < len(s) {
		_, rest, _ := strings.Cut(s[at:], ">")
		return rest
	}
	return ""
}

// spaceFor returns what replaces a tag in a text.
func spaceFor(name string) string {
	switch {
	case name == "li":
		return "\n• "
	case slices.Contains([]string{"br", "p", "li", "div", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table"}, strings.TrimPrefix(name, "/")):
		return "\n"
	}
	return ""
}

// fold divides paragraphs into those that show at once, up to a number of
// characters, and the rest. It cuts off everything beyond most characters.
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

// wordEnd returns where to break a text of more than n characters: after the last
// space among the first n, or after n.
func wordEnd(text []rune, n int) int {
	for i := n; i > 0; i-- {
		if text[i-1] == ' ' {
			return i
		}
	}
	return n
}

package game

import (
	"html"
	"strings"
)

// plainText returns the paragraphs of a store's text without markup. Text that
// only looks like markup ("2 < 3") stays. The result is not escaped. It reads the text
// a constant number of times, whatever it contains.
func plainText(s string) []string {
	var b strings.Builder
	ends := tagEnds{tag: strings.LastIndexByte(s, '>'), comment: strings.LastIndex(s, "-->")}
	for whole := len(s); s != ""; {
		text, rest, found := strings.Cut(s, "<")
		b.WriteString(text)
		if !found {
			break
		}
		name, after, ok := cutTag(rest, ends.after(whole-len(rest)))
		if !ok {
			b.WriteByte('<')
			s = rest
			continue
		}
		s = after
		switch strings.TrimPrefix(name, "/") {
		case "script", "style":
			if name[0] != '/' { // what follows is not text
				s = skipElement(s, name)
			}
		case "br", "p", "li", "div", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table":
			b.WriteByte('\n')
		}
		if name == "li" {
			b.WriteString("• ")
		}
	}
	var paragraphs []string
	for line := range strings.Lines(html.UnescapeString(b.String())) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			paragraphs = append(paragraphs, line)
		}
	}
	return paragraphs
}

// skipElement returns what follows the closing tag with a name.
func skipElement(s, name string) string {
	for {
		at := strings.Index(s, "</")
		if at < 0 {
			return ""
		}
		s = s[at+len("</"):]
		if len(s) >= len(name) && strings.EqualFold(s[:len(name)], name) {
			_, rest, _ := strings.Cut(s, ">")
			return rest
		}
	}
}

// tagEnds are the positions in a text where the last tag and the last comment end; -1
// if there is none. With them, only ends that exist are searched. Otherwise every "<"
// of a text without ">" would cost a search to the end.
type tagEnds struct{ tag, comment int }

// after returns the ends relative to a place of the text.
func (e tagEnds) after(at int) tagEnds { return tagEnds{e.tag - at, e.comment - at} }

// cutTag cuts a tag, whose "<" is cut already, off the beginning of a text. The
// name of a closing tag keeps its slash. It reports false if there is no tag.
func cutTag(s string, ends tagEnds) (name, rest string, ok bool) {
	if strings.HasPrefix(s, "!--") {
		if ends.comment < 0 {
			return "", s, false
		}
		_, rest, ok = strings.Cut(s, "-->")
		return "", rest, ok
	}
	name, ending := strings.CutPrefix(s, "/")
	if ends.tag < 0 || name == "" || !strings.ContainsAny(name[:1], "!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		return "", s, false
	}
	name, rest, _ = strings.Cut(name, ">")
	if end := strings.IndexAny(name, " \t\r\n/"); end >= 0 {
		name = name[:end]
	}
	if ending {
		name = "/" + name
	}
	return strings.ToLower(name), rest, true
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

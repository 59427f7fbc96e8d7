package game

import (
	"cmp"
	"strings"

	"gamedex/internal/catalog/markup"
)

// plainText returns the paragraphs of a store's text without markup. The result is not
// escaped.
func plainText(s string) (paragraphs []string) {
	text, tail := markup.Text(s, "• ")
	for line := range strings.Lines(text + tail) {
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
			head := string(runes[:room])
			at := cmp.Or(strings.LastIndexByte(head, ' ')+1, len(head)) // after the last space, if there is one
			shown, rest = append(shown, head[:at]), append(rest, head[at:]+string(runes[room:]))
		default:
			rest = append(rest, string(runes))
		}
		if left <= 0 {
			break
		}
	}
	return shown, rest
}

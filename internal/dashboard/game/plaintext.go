package game

import (
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

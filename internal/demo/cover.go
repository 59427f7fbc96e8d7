package demo

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CoverPath is the path under which the service serves covers: CoverPath + name.
const CoverPath = "/demo/covers/"

const (
	logoSuffix   = "-logo"
	screenSuffix = "-screen-"
)

// Cover returns the placeholder picture of a name such as "elden-ring.svg": an SVG
// document, always the same for the same name. ok is false for names that no listing has.
func (c *Catalog) Cover(name string) (svg []byte, ok bool) {
	base, isSVG := strings.CutSuffix(name, ".svg")
	if !isSVG {
		return nil, false
	}
	if g := c.bySlug[base]; g != nil {
		return draw(g, base, 600, 800), true
	}
	if slug, ok := strings.CutSuffix(base, logoSuffix); ok && c.bySlug[slug] != nil {
		return draw(c.bySlug[slug], base, 640, 240), true
	}
	slug, number, ok := strings.Cut(base, screenSuffix)
	if g := c.bySlug[slug]; ok && g != nil && (number == "1" || number == "2") {
		return draw(g, base, 1280, 720), true
	}
	return nil, false
}

// draw returns a picture of the game: a figure of its genre, and the title in a band below.
// Hues, sizes and positions depend on the game and on seed. A portrait is a cover: it has
// large initials, which can be read when it is 56 pixels wide.
func draw(g *game, seed string, width, height int) []byte {
	var b strings.Builder
	hue := hash("hue", g.Name) % 360
	accent := (hue + 120 + hash("accent", g.Name)%120) % 360
	ground, figure := fmt.Sprintf("hsl(%d,50%%,22%%)", hue), fmt.Sprintf("hsl(%d,75%%,58%%)", accent)
	if hash("bright", g.Name)%3 == 0 {
		ground, figure = fmt.Sprintf("hsl(%d,65%%,62%%)", hue), fmt.Sprintf("hsl(%d,60%%,32%%)", accent)
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s (sample picture)">`,
		width, height, html.EscapeString(g.Name))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="%s"/><g fill="%s" stroke="%s" stroke-width="0">`, width, height, ground, figure, figure)
	motif := motifs[g.Genres[0]]
	if motif == nil {
		motif = waves
	}
	motif(&b, seed, width, height)
	b.WriteString("</g>")
	band := height / 3
	if width > 2*height { // a logo is only the title
		band = height
	}
	fmt.Fprintf(&b, `<rect y="%d" width="%d" height="%d" fill="hsl(%d,45%%,10%%)" fill-opacity=".88"/>`, height-band, width, band, hue)
	if height > width {
		text := initials(g.Name)
		size := min(height*2/5, width*86/max(1, widthOf(text)))
		fmt.Fprintf(&b, `<text x="%d" y="%d" font-family="sans-serif" font-weight="800" font-size="%d" fill="#fff" stroke="#000" stroke-opacity=".55" `+
			`stroke-width="%d" paint-order="stroke" text-anchor="middle" dominant-baseline="central">%s</text>`,
			width/2, (height-band)/2, size, size/14, html.EscapeString(text))
	}
	lines, size := layout(g.Name, width, band*9/10)
	top := height - band/2 - size*(len(lines)-1)*11/20
	for i, line := range lines {
		fmt.Fprintf(&b, `<text x="%d" y="%d" font-family="sans-serif" font-weight="700" font-size="%d" fill="#fff" text-anchor="middle" dominant-baseline="central">%s</text>`,
			width/2, top+i*size*11/10, size, html.EscapeString(line))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" font-family="sans-serif" font-size="%d" letter-spacing="3" fill="#fff" fill-opacity=".6" text-anchor="middle">SAMPLE</text></svg>`,
		width/2, height-height/60, height/40)
	return []byte(b.String())
}

// initials returns the first characters of a title's first two words, without articles, and
// the title's number if it has one of one digit.
func initials(title string) string {
	var first []rune
	number := ""
	for _, word := range strings.FieldsFunc(title, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		switch w := strings.ToUpper(word); {
		case len(w) == 1 && unicode.IsDigit(rune(w[0])):
			number = w
		case len(first) < 2 && !slices.Contains([]string{"THE", "OF", "AND", "A"}, w):
			first = append(first, []rune(w)[0])
		}
	}
	return string(first) + number
}

// layout breaks a title into the lines that can be written largest, and returns their size: a
// tenth of the width stays free on each side, and a quarter of the height.
func layout(title string, width, height int) (lines []string, size int) {
	for most := 4; most <= 24; most++ {
		broken, widest := wrap(title, most), 0
		for _, line := range broken {
			widest = max(widest, widthOf(line))
		}
		s := min(width*80/widest, height*3/4/len(broken), width/7, height/4)
		if s >= size { // of equal sizes, the fewest lines
			lines, size = broken, s
		}
	}
	return lines, size
}

// wrap breaks a text into lines of at most width characters. A longer word is a line of its own.
func wrap(text string, width int) (lines []string) {
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && utf8.RuneCountInString(lines[last]+" "+word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// widthOf returns how wide a line is in bold letters at most, in hundredths of their size.
func widthOf(line string) (width int) {
	for _, r := range line {
		switch {
		case strings.ContainsRune("iIjlft.,:;'’!|- ", r):
			width += 45
		case strings.ContainsRune("mwMW@&", r), r >= 0x2E80: // ideographs, too
			width += 110
		case unicode.IsUpper(r):
			width += 84
		default:
			width += 71
		}
	}
	return width
}

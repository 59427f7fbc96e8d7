package demo

import (
	"fmt"
	"html"
	"strconv"
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
		return draw(g.name, 600, 800, base), true
	}
	if slug, ok := strings.CutSuffix(base, logoSuffix); ok && c.bySlug[slug] != nil {
		return draw(c.bySlug[slug].name, 640, 240, base), true
	}
	slug, number, ok := strings.Cut(base, screenSuffix)
	if g := c.bySlug[slug]; ok && g != nil && (number == "1" || number == "2") {
		return draw(g.name, 1280, 720, base), true
	}
	return nil, false
}

// draw returns a picture with the title, in colours and shapes that depend on seed.
func draw(title string, width, height int, seed string) []byte {
	var b strings.Builder
	hue := hash("hue", seed) % 360
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s (sample picture)">`,
		width, height, html.EscapeString(title))
	fmt.Fprintf(&b, `<defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="hsl(%d,55%%,30%%)"/><stop offset="1" stop-color="hsl(%d,60%%,14%%)"/></linearGradient></defs>`,
		hue, (hue+50)%360)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="url(#g)"/>`, width, height)
	for i := range 7 {
		n := hash("shape", seed, strconv.Itoa(i))
		fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="%d" fill="hsl(%d,70%%,60%%)" fill-opacity=".13"/>`,
			n%uint64(width), n>>16%uint64(height), 30+n>>32%uint64(height/3), (hue+n>>48%80)%360)
	}
	lines, size := layout(title, width, height)
	top := height/2 - size*(len(lines)-1)*11/20
	for i, line := range lines {
		fmt.Fprintf(&b, `<text x="%d" y="%d" font-family="sans-serif" font-weight="700" font-size="%d" fill="#fff" text-anchor="middle" dominant-baseline="middle">%s</text>`,
			width/2, top+i*size*11/10, size, html.EscapeString(line))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" font-family="sans-serif" font-size="%d" letter-spacing="3" fill="#fff" fill-opacity=".6" text-anchor="middle">SAMPLE</text></svg>`,
		width/2, height-height/24, height/36)
	return []byte(b.String())
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

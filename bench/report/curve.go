package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Point is one measured value.
type Point struct{ X, Y float64 }

// Line is one curve of a picture.
type Line struct {
	Name   string
	Points []Point // at least one; X and Y above 0
}

// Picture shows curves on logarithmic axes.
type Picture struct {
	File   string // "scaling-memory.svg"
	Title  string
	XLabel string
	YLabel string
	Lines  []Line
}

// The size of a picture and the margins of its plot, in pixels.
const (
	pictureWidth, pictureHeight                      = 660, 360
	marginLeft, marginRight, marginTop, marginBottom = 70, 170, 40, 50
)

// SVG draws the picture in colours that suit light and dark pages: text and axes are
// grey, and there is no background.
func (p Picture) SVG() []byte {
	f := p.axes()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12" fill="#777">`+"\n",
		pictureWidth, pictureHeight, pictureWidth, pictureHeight)
	fmt.Fprintf(&b, `<title>%s</title>`+"\n", escape(p.Title))
	text(&b, pictureWidth/2, 20, "middle", 14, p.Title)
	text(&b, (marginLeft+pictureWidth-marginRight)/2, pictureHeight-10, "middle", 12, p.XLabel)
	fmt.Fprintf(&b, `<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n",
		(marginTop+pictureHeight-marginBottom)/2, escape(p.YLabel))
	f.grid(&b)
	f.lines(&b, p.Lines, p.YLabel)
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// axes map values to pixels.
type axes struct{ minX, maxX, minY, maxY float64 } // logarithms of ten

func (p Picture) axes() axes {
	f := axes{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	for _, l := range p.Lines {
		for _, at := range l.Points {
			x, y := math.Log10(at.X), math.Log10(at.Y)
			f.minX, f.maxX = min(f.minX, x), max(f.maxX, x)
			f.minY, f.maxY = min(f.minY, y), max(f.maxY, y)
		}
	}
	// The vertical axis has whole powers of ten, the horizontal one some space.
	f.minY, f.maxY = math.Floor(f.minY), math.Ceil(f.maxY)
	if f.minY == f.maxY {
		f.maxY++
	}
	f.minX, f.maxX = f.minX-0.05, f.maxX+0.05
	return f
}

func (f axes) x(v float64) float64 {
	return marginLeft + (math.Log10(v)-f.minX)/(f.maxX-f.minX)*(pictureWidth-marginLeft-marginRight)
}

func (f axes) y(v float64) float64 {
	return pictureHeight - marginBottom - (math.Log10(v)-f.minY)/(f.maxY-f.minY)*(pictureHeight-marginTop-marginBottom)
}

// grid draws a line for every power of ten.
func (f axes) grid(b *strings.Builder) {
	for e := f.minY; e <= f.maxY; e++ {
		y := f.y(math.Pow(10, e))
		fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="#999" stroke-opacity="0.4"/>`+"\n", marginLeft, y, pictureWidth-marginRight)
		text(b, marginLeft-6, y+4, "end", 11, short(math.Pow(10, e)))
	}
}

// colours can be distinguished by colour-blind readers, on white and on black.
var colours = [...]string{"#1f83c8", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9"}

// lines draws the curves, each labelled with its name, last value and unit.
func (f axes) lines(b *strings.Builder, lines []Line, unit string) {
	ticks := map[float64]bool{}
	type label struct {
		y      float64
		name   string
		colour string
	}
	var labels []label
	for i, l := range lines {
		colour := colours[i%len(colours)]
		var path strings.Builder
		for j, at := range l.Points {
			fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(j, 1)], f.x(at.X), f.y(at.Y))
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"><title>%s: %s at %s</title></circle>`+"\n",
				f.x(at.X), f.y(at.Y), colour, escape(l.Name), short(at.Y), short(at.X))
			if !ticks[at.X] {
				ticks[at.X] = true
				text(b, f.x(at.X), pictureHeight-marginBottom+18, "middle", 11, short(at.X))
			}
		}
		fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", path.String(), colour)
		last := l.Points[len(l.Points)-1].Y
		labels = append(labels, label{f.y(last) + 4, l.Name + ": " + short(last) + " " + unit, colour})
	}
	slices.SortFunc(labels, func(a, b label) int { return cmp.Compare(a.y, b.y) })
	last := math.Inf(-1)
	for _, l := range labels {
		last = max(l.y, last+14) // labels must not overlap
		fmt.Fprintf(b, `<text x="%d" y="%.1f" fill="%s">%s</text>`+"\n", pictureWidth-marginRight+8, last, l.colour, escape(l.name))
	}
}

func text(b *strings.Builder, x, y float64, anchor string, size int, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%d">%s</text>`+"\n", x, y, anchor, size, escape(s))
}

// short formats 100000 as 100k.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return Number(v/1e6) + "M"
	case v >= 1e3:
		return Number(v/1e3) + "k"
	}
	return Number(v)
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

package demo

import (
	"fmt"
	"strconv"
	"strings"
)

// motifs are the figures of genres. Each fills the picture with shapes in the colour of the
// group that they are written into; others have waves.
var motifs = map[string]func(b *strings.Builder, seed string, width, height int){
	"Action": rays, "Fighting": rays, "Party": rays,
	"Role-playing": diamonds, "Cards": diamonds, "Puzzle": diamonds,
	"Shooter": rings, "Music": rings, "Simulation": rings,
	"Adventure": mountains, "Survival": mountains, "Sandbox": mountains,
	"Platformer": blocks, "Strategy": blocks, "Family": blocks,
	"Racing": stripes, "Sports": stripes,
	"Horror": moon, "Visual novel": moon,
}

// vary returns a number from least to most that depends on the seed and the subject.
func vary(seed, about string, least, most int) int {
	return least + int(hash(about, seed)%uint64(most-least+1))
}

// rays are triangles from a point to the edges.
func rays(b *strings.Builder, seed string, width, height int) {
	x, y, n := vary(seed, "x", width/5, width*4/5), vary(seed, "y", height/8, height/2), vary(seed, "n", 5, 11)
	fmt.Fprintf(b, `<g transform="translate(%d %d) rotate(%d)">`, x, y, vary(seed, "turn", 0, 60))
	for i := range n {
		fmt.Fprintf(b, `<path d="M0 0L%d %dV%dZ" transform="rotate(%d)"/>`, 2*height, -height*2/n, height*2/n, i*360/n)
	}
	b.WriteString("</g>")
}

// diamonds are squares on their corners, one in another.
func diamonds(b *strings.Builder, seed string, width, height int) {
	size, n := vary(seed, "size", height/3, height*3/5), vary(seed, "n", 2, 4)
	for i := range n {
		half := size * (n - i) / n
		opacity := "1"
		if i%2 == 1 {
			opacity = ".35"
		}
		fmt.Fprintf(b, `<path d="M%d %dl%d %dl%d %dl%d %dZ" fill-opacity="%s" stroke="#000" stroke-opacity=".4" stroke-width="%d"/>`,
			width/2, height/3-half, half, half, -half, half, -half, -half, opacity, height/80)
	}
}

// rings are circles around one point.
func rings(b *strings.Builder, seed string, width, height int) {
	x, y, n := vary(seed, "x", width/4, width*3/4), vary(seed, "y", height/5, height/2), vary(seed, "n", 3, 5)
	step := vary(seed, "step", height/9, height/6)
	for i := range n {
		fmt.Fprintf(b, `<circle cx="%d" cy="%d" r="%d" fill="none" stroke-width="%d"/>`, x, y, step*(i+1)-step/2, step/2)
	}
}

// mountains are peaks below a sun.
func mountains(b *strings.Builder, seed string, width, height int) {
	fmt.Fprintf(b, `<circle cx="%d" cy="%d" r="%d"/>`,
		vary(seed, "x", width/5, width*4/5), vary(seed, "y", height/8, height/4), vary(seed, "r", height/12, height/6))
	for i := range 3 {
		n := strconv.Itoa(i)
		peak, top := vary(seed, "peak"+n, 0, width), vary(seed, "top"+n, height/4, height/2)
		fmt.Fprintf(b, `<path d="M%d %dL%d %dL%d %dZ" fill-opacity="%s"/>`, peak-height/2, height, peak, top, peak+height/2, height, [...]string{".4", ".65", "1"}[i])
	}
}

// blocks are some squares of a grid.
func blocks(b *strings.Builder, seed string, width, height int) {
	size := height / vary(seed, "size", 4, 7)
	for y := 0; y < height; y += size {
		for x := 0; x < width; x += size {
			if hash("block", seed, strconv.Itoa(x), strconv.Itoa(y))%5 < 2 {
				fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d"/>`, x, y, size, size)
			}
		}
	}
}

// stripes are bands across the picture.
func stripes(b *strings.Builder, seed string, width, height int) {
	n, wide := vary(seed, "n", 3, 7), height/vary(seed, "wide", 12, 20)
	fmt.Fprintf(b, `<g transform="rotate(%d %d %d)">`, vary(seed, "turn", 20, 160), width/2, height/3)
	for i := range n {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d"/>`, -height, height/3+(2*i-n)*wide, 2*width+2*height, wide)
	}
	b.WriteString("</g>")
}

// moon is a crescent.
func moon(b *strings.Builder, seed string, width, height int) {
	r := vary(seed, "r", height/6, height/4)
	fmt.Fprintf(b, `<g transform="rotate(%d %d %d)"><path d="M%d %da%d %d 0 1 0 0 %da%d %d 0 0 1 0 %dZ"/></g>`,
		vary(seed, "turn", -40, 200), width/2, height/3, width/2, height/3-r, r, r, 2*r, r*5/4, r*5/4, -2*r)
}

// waves are lines of arcs from the left to the right.
func waves(b *strings.Builder, seed string, width, height int) {
	length, n := vary(seed, "length", height/5, height/2), vary(seed, "n", 3, 6)
	for i := range n {
		fmt.Fprintf(b, `<path d="M%d %dq%d %d %d 0`, -length, height*i/n+height/10, length/2, -length/2, length)
		for x := 0; x < width+length; x += length {
			fmt.Fprintf(b, `t%d 0`, length)
		}
		fmt.Fprintf(b, `" fill="none" stroke-width="%d"/>`, height/n/3)
	}
}

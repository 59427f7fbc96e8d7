package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// bar shows progress on a terminal, and nothing elsewhere.
type bar struct {
	w       io.Writer
	bytes   bool // it counts bytes
	now     func() time.Time
	columns func() int // of the terminal

	name  string // the input or sweep that it shows
	began time.Time
	drawn time.Time
	width int // of what the terminal shows
	shown bool
}

// redraw is the shortest time between two drawings of a bar; barWidth is its width in
// characters.
const (
	redraw   = 100 * time.Millisecond
	barWidth = 24
)

func newBar(w io.Writer, bytes bool) *bar {
	columns := func() int {
		width, _, err := term.GetSize(int(w.(*os.File).Fd()))
		if err != nil || width < 1 {
			return 80
		}
		return width
	}
	return &bar{w: w, bytes: bytes, now: time.Now, columns: columns, shown: isTerminal(w)}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// show draws the progress of one input or sweep. Another name starts another bar.
// The size is 0 or negative if it is unknown.
func (b *bar) show(name string, done, size int64, text string) {
	if !b.shown {
		return
	}
	now := b.now()
	if b.began.IsZero() || b.name != name {
		b.clear()
		b.name, b.began, b.drawn = name, now, time.Time{}
	}
	if now.Sub(b.drawn) < redraw {
		return
	}
	b.drawn = now
	line := text + " " + b.state(done, size, now.Sub(b.began))
	if room := b.columns() - 1; utf8.RuneCountInString(line) > room { // a line that wraps could not be cleared
		line = string([]rune(line)[:room])
	}
	width := utf8.RuneCountInString(line)
	fmt.Fprintf(b.w, "\r%s%s", line, strings.Repeat(" ", max(0, b.width-width)))
	b.width = width
}

// state returns the drawn bar, with the time left, or without a size only what is done.
func (b *bar) state(done, size int64, spent time.Duration) string {
	count := fmt.Sprint(done)
	if b.bytes {
		count = fmt.Sprintf("%.1f MB", float64(done)/1e6)
	}
	if size <= 0 {
		return count
	}
	part := min(1, float64(done)/float64(size))
	full := int(part * barWidth)
	drawn := fmt.Sprintf("%3.0f%% [%s%s] %s", part*100, strings.Repeat("#", full), strings.Repeat(" ", barWidth-full), count)
	if done <= 0 || done >= size {
		return drawn
	}
	left := time.Duration(float64(spent) * (1 - part) / part)
	return fmt.Sprintf("%s, %v left", drawn, left.Round(time.Second))
}

// clear removes the bar from the terminal. It works without ANSI sequences.
func (b *bar) clear() {
	if b.width > 0 {
		fmt.Fprintf(b.w, "\r%s\r", strings.Repeat(" ", b.width))
		b.width = 0
	}
}

func (b *bar) end() { b.clear(); b.began = time.Time{} }

// Write clears the bar before it writes text, so that log lines do not mix with
// the bar.
func (b *bar) Write(text []byte) (int, error) {
	b.clear()
	return b.w.Write(text)
}

// shorten cuts a name to limit characters. It keeps the end, where file names differ.
func shorten(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	return "…" + strings.TrimSpace(string(runes[len(runes)-limit+1:]))
}

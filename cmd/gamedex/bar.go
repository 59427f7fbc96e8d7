package main

import (
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar shows progress on a terminal, and nothing elsewhere.
type bar struct {
	bar     *progressbar.ProgressBar
	w       io.Writer
	options []progressbar.Option
	name    string // the input or sweep that it shows
	shown   bool
}

func newBar(w io.Writer, more ...progressbar.Option) *bar {
	f, ok := w.(*os.File)
	options := []progressbar.Option{progressbar.OptionSetWriter(w),
		progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionSetWidth(24),
		progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish()}
	return &bar{w: w, options: append(options, more...), shown: ok && term.IsTerminal(int(f.Fd()))}
}

// show draws the progress of one input or sweep. Another name starts another bar.
// A negative size means that it is unknown.
func (b *bar) show(name string, done, size int64, text string) {
	if !b.shown {
		return
	}
	if b.bar == nil || b.name != name {
		b.end()
		b.name = name
		b.bar = progressbar.NewOptions64(size, b.options...)
	}
	if size >= 0 && b.bar.GetMax64() != size {
		b.bar.ChangeMax64(size)
	}
	b.bar.Describe(text)
	_ = b.bar.Set64(done) // the command works without the bar
}

func (b *bar) clear() {
	if b.bar != nil {
		_ = b.bar.Clear()
	}
}

func (b *bar) end() {
	if b.bar != nil {
		_ = errors.Join(b.bar.Finish(), b.bar.Clear())
		b.bar = nil
	}
}

// Write clears the bar before it writes text, so that log lines do not mix with
// the bar.
func (b *bar) Write(text []byte) (int, error) {
	b.clear()
	return b.w.Write(text)
}

// shorten returns the end of a long name, where file names differ.
func shorten(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return "…" + strings.TrimSpace(string(runes[len(runes)-most+1:]))
}

package feed_test

import (
	"bytes"
	"io"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
)

// BenchmarkReader reads the two lines of the format's example; divide by two
// for the time of a line.
func BenchmarkReader(b *testing.B) {
	input := bytes.Repeat([]byte(exampleConsole+"\n"+examplePC+"\n"), 500)
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	lines := 0
	for b.Loop() {
		r, err := feed.NewReader(bytes.NewReader(input), clock)
		if err != nil {
			b.Fatal(err)
		}
		for l := (catalog.Listing{}); ; lines++ {
			if _, err := r.Next(&l); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
}

func BenchmarkWriter(b *testing.B) {
	l := read(b, exampleConsole)
	w := feed.NewWriter(io.Discard)
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Write(&l); err != nil {
			b.Fatal(err)
		}
	}
}

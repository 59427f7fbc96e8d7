package feed_test

import (
	"bytes"
	"io"
	"strings"
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

// BenchmarkTableReader reads rows with hundredths, and with prices as people write them.
func BenchmarkTableReader(b *testing.B) {
	for name, row := range map[string][2]string{
		"hundredths": {"currency,base,current", "EUR,129900,104999"},
		"written":    {"currency,fullPrice,price", `EUR,"1.299,00","1.049,99 €"`},
	} {
		b.Run(name, func(b *testing.B) {
			input := []byte("platform,region,product,title,observedAt,slug,genres," + row[0] + "\n" +
				strings.Repeat("pcstore,DE,star-forge/base,Star Forge,2026-11-20T03:00:00Z,star-forge,Action|RPG,"+row[1]+"\n", 1000))
			b.SetBytes(int64(len(input)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := feed.NewTableReader(bytes.NewReader(input), clock, feed.TableOptions{TempDir: b.TempDir()})
				if err != nil {
					b.Fatal(err)
				}
				for l := (catalog.Listing{}); err == nil; {
					_, err = r.Next(&l)
				}
				if err != io.EOF {
					b.Fatal(err)
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
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

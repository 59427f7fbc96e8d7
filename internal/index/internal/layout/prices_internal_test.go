package layout

import (
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/snapshot"
)

// TestFallsAreFound compares the bitmap with a look at every row, over any
// regions and any range of rows.
func TestFallsAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		regions := rapid.SliceOfN(rapid.ByteRange(0, 255), 1, 300).Draw(t, "regions")
		if from := rapid.IntRange(0, len(regions)).Draw(t, "rising from"); rapid.Bool().Draw(t, "long rise") {
			for i := from; i < len(regions); i++ {
				regions[i] = byte(i - from)
			}
		}
		p := &Prices{Rows: make([]byte, RowSize*len(regions)), Points: make([]byte, PointSize), Extras: make([]byte, ExtraSize)}
		p.Strings = noWords(t)
		for i, region := range regions {
			p.Rows[i*RowSize+RowRegion] = region
		}
		marks, err := p.checkRows()
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			lo := rapid.IntRange(1, len(regions)).Draw(t, "lo")
			hi := rapid.IntRange(0, len(regions)).Draw(t, "hi")
			falls, most := false, 0
			for i := range regions {
				falls = falls || i >= lo && i < hi && regions[i] <= regions[i-1]
				most = max(most, int(regions[i]))
			}
			if got := marks.within(int64(lo), int64(hi)); got != falls || p.RegionCount != most+1 {
				t.Fatalf("rows %d to %d of %v: falls %v, want %v; %d regions", lo, hi, regions, got, falls, p.RegionCount)
			}
		}
	})
}

// noWords is a table of the empty string alone.
func noWords(t *rapid.T) snapshot.Strings {
	w := snapshot.NewWriter(PricesKind, Format)
	if err := snapshot.NewStringsWriter().AddTo(w, SectionStrings); err != nil {
		t.Fatal(err)
	}
	blob, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	f, err := snapshot.Open(blob, PricesKind, Read())
	if err != nil {
		t.Fatal(err)
	}
	words, err := f.Strings(SectionStrings)
	if err != nil {
		t.Fatal(err)
	}
	return words
}

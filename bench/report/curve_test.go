package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"gamedex/bench/report"
)

func TestPicture(t *testing.T) {
	p := report.Picture{
		Title: "p50 <by> size", XLabel: "cards", YLabel: "µs",
		Lines: []report.Line{
			{Name: "search", Points: []report.Point{{25_000, 7}, {100_000, 12}, {400_000, 30}}},
			{Name: "card", Points: []report.Point{{25_000, 7.1}, {400_000, 30.1}}},
		},
	}
	svg := p.SVG()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not XML: %v\n%s", err, svg)
		}
	}
	for _, want := range []string{"p50 &lt;by&gt; size", "search: 12 at 100k", "card: 30.1", "25k", "400k"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %q in\n%s", want, svg)
		}
	}
	if n := strings.Count(string(svg), "<circle"); n != 5 {
		t.Errorf("%d points, want 5", n)
	}
}

func TestPictureOfOnePoint(t *testing.T) {
	p := report.Picture{Lines: []report.Line{{Name: "a", Points: []report.Point{{1, 1}}}}}
	if svg := string(p.SVG()); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("a picture of one point:\n%s", svg)
	}
}

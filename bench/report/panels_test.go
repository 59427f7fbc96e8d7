package report_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"gamedex/bench/report"
)

func TestPanels(t *testing.T) {
	p := report.Panels{Title: "an hour", XLabel: "minutes", Panels: []report.Panel{
		{Title: "memory <MB>", Lines: []report.Line{
			{Name: "api", Points: []report.Point{{0, 80}, {30, 130}, {60, 120}}},
			{Name: "build", Points: []report.Point{{60, 40}}},
		}},
		{Title: "always zero", Lines: []report.Line{{Name: "api", Points: []report.Point{{0, 0}}}}},
		{Title: "nothing measured"},
	}}
	svg := string(p.SVG())
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not XML: %v\n%s", err, svg)
		}
	}
	for _, want := range []string{">an hour<", ">minutes<", ">memory &lt;MB&gt;<", ">api: 120<", ">build: 40<", ">always zero<", ">150<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in\n%s", want, svg)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("a picture with values that are not numbers:\n%s", svg)
	}
}

func TestPanelsWithoutValues(t *testing.T) {
	if svg := string(report.Panels{Panels: []report.Panel{{Title: "a"}}}.SVG()); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("an empty picture:\n%s", svg)
	}
}

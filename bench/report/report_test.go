package report_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/internal/testing/golden"
)

func one(v float64) harness.Figure { return harness.Figure{Median: v, Low: v * 0.9, High: v * 1.1} }

func TestVerdict(t *testing.T) {
	least := report.Goal{Limit: 3, Stretch: 8}
	most := report.Goal{Limit: 4, Stretch: 2, AtMost: true}
	with := func(g report.Goal, v float64) report.Goal { g.Figure = one(v); return g }
	all := func(parts ...report.Goal) report.Goal { return report.Goal{What: "x", All: parts} }
	named := func(g report.Goal, what string) report.Goal { g.What = what; return g }
	either := func(a, b report.Goal) report.Goal { a.Or = &b; return a }
	for _, c := range []struct {
		name string
		goal report.Goal
		want string
	}{
		{"less than the least", with(least, 2), "**not met**"},
		{"less than the least, but not in all rounds", with(least, 2.9), "**not met**, except in some rounds"},
		{"exactly the least", with(least, 3), "met"},
		{"as much as the stretch", with(least, 8), "met, stretch too"},
		{"more than the most", with(most, 5), "**not met**"},
		{"more than the most, but not in all rounds", with(most, 4.1), "**not met**, except in some rounds"},
		{"exactly the most", with(most, 4), "met"},
		{"as little as the stretch", with(most, 2), "met, stretch too"},
		{"neither", either(with(least, 1), with(most, 5)), "**not met**"},
		{"the other one", either(with(least, 1), with(most, 1)), "met"},
		{"no stretch", report.Goal{Limit: 1, AtMost: true, Figure: one(0)}, "met"},
		{"no figure", report.Goal{Limit: 1, Missing: "no such server"}, "not measured: no such server"},
		{"all met", all(with(least, 3), with(most, 2)), "met"},
		{"all as their stretches", all(with(least, 8), with(most, 2)), "met, stretch too"},
		{"a part without a stretch", all(with(least, 8), report.Goal{Limit: 1, AtMost: true, Figure: one(1)}), "met, stretch too"},
		{"no part with a stretch", all(report.Goal{Limit: 1, AtMost: true, Figure: one(1)}), "met"},
		{"a part not met", all(with(least, 8), named(with(most, 5), "p99")), "**not met**: p99"},
		{"a part not measured", all(with(least, 8), report.Goal{What: "hits", Missing: "none"}), "**not met**: hits (not measured: none)"},
	} {
		if got := c.goal.Verdict(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0, "0"}, {0.0314, "0.0314"}, {0.5, "0.5"}, {1, "1"}, {2.994, "2.99"}, {12.345, "12.3"}, {123.4, "123"}, {400, "400"},
		{123456.7, "123457"}, {-2.5, "-2.50"},
	} {
		if got := report.Number(c.v); got != c.want {
			t.Errorf("Number(%v) = %s, want %s", c.v, got, c.want)
		}
	}
}

// steady returns a candidate with the same values in every round.
func steady(name string, s harness.Values) harness.Candidate {
	return harness.Candidate{Name: name, Round: func(context.Context) (harness.Values, error) { return s, nil }}
}

func TestReportAsMarkdown(t *testing.T) {
	results, err := harness.Rounds(t.Context(), 3, rand.New(rand.NewPCG(1, 1)), []harness.Candidate{
		steady("ours", harness.Values{harness.CPU: 30, harness.Rate: 1000}),
		steady("theirs", harness.Values{harness.CPU: 10}),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := report.Report{
		Command: "bench", Date: time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC), Took: 90 * time.Second,
		Machine: [][2]string{{"cores", "2"}}, Versions: [][2]string{{"nginx", "1.22"}},
		Sections: []report.Section{
			{Title: "Answers", Intro: "Of | and more.", Tried: "Theirs was asked.", Goals: []report.Goal{
				{What: "CPU", AtMost: true, Limit: 4, Stretch: 2, Unit: "x", Figure: results.Ratio(harness.CPU, "ours", "theirs")},
				{What: "rate", Limit: 2, Unit: "x", Missing: "theirs has none", Or: &report.Goal{What: "CPU", AtMost: true, Limit: 1, Figure: one(3)}},
				{What: "both", All: []report.Goal{
					{What: "p50", Limit: 3, Stretch: 8, Unit: "x", Figure: one(5)}, {What: "hit rate", Limit: -0.01, Figure: one(-0.02)},
				}},
			}, Tables: []report.Table{report.Compare("a|b", results, "theirs", harness.CPU, harness.Rate)}, Notes: []string{"A note."},
				Pictures: []report.Picture{{File: "a.svg", Title: "A curve", Lines: []report.Line{{Name: "a", Points: []report.Point{{1, 1}}}}}}},
			{Title: "Curves", Intro: "No goals."},
			{Title: "Others", Failure: "no such server"},
		},
	}
	dir := t.TempDir()
	if err := r.WriteFile(filepath.Join(dir, "RESULTS.md")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "RESULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	// The golden file has no Go version.
	var lines []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| Go |") {
			lines = append(lines, line)
		}
	}
	golden.Check(t, "testdata/report.md", strings.Join(lines, ""))
	if svg, err := os.ReadFile(filepath.Join(dir, "pictures", "a.svg")); err != nil || !bytes.Contains(svg, []byte("A curve")) {
		t.Errorf("the picture is %q, %v", svg, err)
	}
	var printed strings.Builder
	if _, err := r.WriteTo(&printed); err != nil || strings.Contains(printed.String(), "a.svg") {
		t.Errorf("the printed report names pictures that were not written, or was not printed: %v", err)
	}
	if diff := cmp.Diff([]string{"Others"}, r.Failed()); diff != "" {
		t.Error(diff)
	}
}

package report

import (
	"fmt"
	"math"
	"strings"

	"gamedex/bench/harness"
)

// Section is the result of one subject.
type Section struct {
	Title    string
	Intro    string // what was compared and how
	Goals    []Goal // written at the beginning of the report
	Tried    string // what was tried for its goals, and why some cannot be met; written if one is not
	Tables   []Table
	Notes    []string
	Pictures []Picture

	Failure string // why it could not be measured; the rest is empty then
}

// Table has rows of cells under a head.
type Table struct {
	Caption string
	Head    []string
	Rows    [][]string
}

// Compare returns a table of all candidates: for each metric the figure, and its
// ratio to the base's.
func Compare(caption string, results *harness.Results, base string, metrics ...harness.Metric) Table {
	t := Table{Caption: caption, Head: []string{""}}
	for _, m := range metrics {
		t.Head = append(t.Head, string(m), "ratio")
	}
	for _, name := range results.Names {
		row := []string{name}
		for _, m := range metrics {
			row = append(row, compareCells(results, name, base, m)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// compareCells returns the cells of a figure and its ratio.
func compareCells(results *harness.Results, name, base string, m harness.Metric) []string {
	f, ok := results.Of(name, m)
	if !ok {
		return []string{"–", "–"}
	}
	ratio := "–"
	if _, ok := results.Of(base, m); name == base {
		ratio = "1"
	} else if ok {
		ratio = Figure(results.Ratio(m, name, base))
	}
	return []string{Figure(f), ratio}
}

// Figure formats a median with the lowest and the highest value, "2 [1–3]".
func Figure(f harness.Figure) string { return Number(f.Median) + spread(f) }

func spread(f harness.Figure) string {
	if f.Low == f.High {
		return ""
	}
	return " [" + Number(f.Low) + "–" + Number(f.High) + "]"
}

// Number formats a value with three significant digits.
func Number(v float64) string {
	switch a := math.Abs(v); {
	case v == math.Trunc(v) && a < 1e7, a >= 1000:
		return fmt.Sprintf("%.0f", v)
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// write writes the section as Markdown, with the pictures in that folder unless it
// is "".
func (s Section) write(b *strings.Builder, pictures string) {
	fmt.Fprintf(b, "## %s\n\n", s.Title)
	if s.Failure != "" {
		fmt.Fprintf(b, "**Failed**, nothing was measured:\n\n```text\n%s\n```\n\n", s.Failure)
		return
	}
	fmt.Fprintf(b, "%s\n\n", s.Intro)
	for _, t := range s.Tables {
		table(b, t)
	}
	for _, n := range s.Notes {
		fmt.Fprintf(b, "%s\n\n", n)
	}
	for _, p := range s.Pictures {
		if pictures != "" {
			fmt.Fprintf(b, "![%s](%s/%s)\n\n", p.Title, pictures, p.File)
		}
	}
}

func table(b *strings.Builder, t Table) {
	if t.Caption != "" {
		fmt.Fprintf(b, "%s\n\n", t.Caption)
	}
	line(b, t.Head)
	b.WriteString("|" + strings.Repeat("---|", len(t.Head)) + "\n")
	for _, row := range t.Rows {
		line(b, row)
	}
	b.WriteString("\n")
}

func line(b *strings.Builder, cells []string) {
	b.WriteString("|")
	for _, c := range cells {
		b.WriteString(" " + strings.ReplaceAll(c, "|", `\|`) + " |")
	}
	b.WriteString("\n")
}

// Medians returns a table of medians without ratios.
func Medians(caption string, results *harness.Results, metrics ...harness.Metric) Table {
	t := Table{Caption: caption, Head: []string{""}}
	for _, m := range metrics {
		t.Head = append(t.Head, string(m))
	}
	for _, name := range results.Names {
		row := []string{name}
		for _, m := range metrics {
			cell := "–"
			if f, ok := results.Of(name, m); ok {
				cell = Number(f.Median)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

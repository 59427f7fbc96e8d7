package report

import (
	"fmt"
	"math"
	"strings"

	"gamedex/bench/measure"
)

// Section is what one subject found.
type Section struct {
	Title    string
	Intro    string // what was compared, on what, how often
	Goals    []Goal
	Tables   []Table
	Notes    []string
	Pictures []Picture // shown at the end of the section

	Failure string // why it could not be measured; then the rest is empty
}

// Table is rows of cells under a head.
type Table struct {
	Caption string
	Head    []string
	Rows    [][]string
}

// Compare makes the table of all candidates: for each metric the median with
// its range, and its ratio to one of them, taken inside rounds.
func Compare(caption string, runs measure.Runs, to string, metrics ...measure.Metric) Table {
	t := Table{Caption: caption, Head: []string{""}}
	for _, m := range metrics {
		t.Head = append(t.Head, string(m), "ratio")
	}
	for _, name := range runs.Names {
		row := []string{name}
		for _, m := range metrics {
			row = append(row, cells(runs, name, to, m)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cells are a figure and its ratio.
func cells(runs measure.Runs, name, to string, m measure.Metric) []string {
	f, ok := runs.Of(name, m)
	if !ok {
		return []string{"–", "–"}
	}
	ratio := "–"
	if _, base := runs.Of(to, m); name == to {
		ratio = "1"
	} else if base {
		r := runs.Ratio(m, name, to)
		ratio = Shown(r)
	}
	return []string{Shown(f), ratio}
}

// Shown is a figure's median with its lowest and highest, "2 [1–3]".
func Shown(f measure.Figure) string { return Number(f.Median) + spread(f) }

// spread is empty where nothing varies.
func spread(f measure.Figure) string {
	if f.Low == f.High {
		return ""
	}
	return " [" + Number(f.Low) + "–" + Number(f.High) + "]"
}

// Number writes a value with three digits that count.
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

// write writes the section as Markdown, with the pictures from that folder.
func (s Section) write(b *strings.Builder, pictures string) {
	fmt.Fprintf(b, "## %s\n\n", s.Title)
	if s.Failure != "" {
		fmt.Fprintf(b, "**Failed**, nothing was measured:\n\n```text\n%s\n```\n\n", s.Failure)
		return
	}
	fmt.Fprintf(b, "%s\n\n", s.Intro)
	if len(s.Goals) > 0 {
		table(b, goalTable(s.Goals))
	}
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

// Parts makes a table of medians without ratios.
func Parts(caption string, runs measure.Runs, metrics ...measure.Metric) Table {
	t := Table{Caption: caption, Head: []string{""}}
	for _, m := range metrics {
		t.Head = append(t.Head, string(m))
	}
	for _, name := range runs.Names {
		row := []string{name}
		for _, m := range metrics {
			cell := "–"
			if f, ok := runs.Of(name, m); ok {
				cell = Number(f.Median)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

package report

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"
)

// Report is everything that one run found.
type Report struct {
	Quick    bool
	Command  string
	Date     time.Time
	Took     time.Duration
	Machine  [][2]string // name, value
	Versions [][2]string // of what was compared
	Sections []Section
}

// Failed are the titles of the sections that could not be measured.
func (r *Report) Failed() []string {
	var titles []string
	for _, s := range r.Sections {
		if s.Failure != "" {
			titles = append(titles, s.Title)
		}
	}
	return titles
}

// WriteTo writes the report as Markdown: on what, all goals, then each section.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	r.head(&b)
	if goals := r.summary(); len(goals.Rows) > 0 {
		b.WriteString("## All goals\n\n")
		table(&b, goals)
	}
	for _, s := range r.Sections {
		s.write(&b)
	}
	n, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return int64(n), err
}

func (r *Report) head(b *strings.Builder) {
	b.WriteString("# Measured beside what people would use instead\n\n")
	if r.Quick {
		b.WriteString("**A quick run, on small catalogs: it shows that everything works, not how fast it is.**\n\n")
	}
	fmt.Fprintf(b, "Made by `%s` on %s, in %v. All candidates of a table ran in one run, in interleaved rounds of random\n"+
		"order. A figure is the median of the rounds with its range, [lowest–highest]; a ratio is taken inside each\n"+
		"round, so it is not the quotient of the medians. Load and servers share the machine: ratios count, absolute\n"+
		"figures do not. The sides were compared before they were timed: they answer the same.\n\n",
		r.Command, r.Date.Format("2006-01-02 15:04 MST"), r.Took.Round(time.Second))
	rows := append([][2]string{}, r.Machine...)
	rows = append(rows, [2]string{"Go", runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH})
	t := Table{Head: []string{"machine and versions", ""}}
	for _, row := range append(rows, r.Versions...) {
		t.Rows = append(t.Rows, row[:])
	}
	table(b, t)
}

// summary is the table of all goals with their verdicts.
func (r *Report) summary() Table {
	t := Table{Head: []string{"subject", "goal", "limit", "stretch", "measured", ""}}
	for _, s := range r.Sections {
		if s.Failure != "" {
			t.Rows = append(t.Rows, []string{s.Title, "", "", "", "", "**failed**"})
		}
		for _, row := range goalTable(s.Goals).Rows {
			t.Rows = append(t.Rows, append([]string{s.Title}, row...))
		}
	}
	return t
}

package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Report has the results of a run.
type Report struct {
	Quick    bool
	Command  string
	Date     time.Time
	Took     time.Duration
	Machine  [][2]string // name, value
	Versions [][2]string // of the programs and modules compared with
	Sections []Section
}

// Failed returns the titles of the sections that could not be measured.
func (r *Report) Failed() []string {
	var titles []string
	for _, s := range r.Sections {
		if s.Failure != "" {
			titles = append(titles, s.Title)
		}
	}
	return titles
}

// WriteTo writes the report as Markdown, without pictures.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, r.markdown(""))
	return int64(n), err
}

// pictures is the folder of the pictures, next to the report.
const pictures = "pictures"

// WriteFile writes the report to a file, and its pictures as SVG to the folder
// "pictures" next to it.
func (r *Report) WriteFile(file string) error {
	dir := filepath.Join(filepath.Dir(file), pictures)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	for _, s := range r.Sections {
		for _, p := range s.Pictures {
			if err := os.WriteFile(filepath.Join(dir, p.File), p.SVG(), 0o644); err != nil {
				return fmt.Errorf("write results: %w", err)
			}
		}
	}
	if err := os.WriteFile(file, []byte(r.markdown(pictures)), 0o644); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}

func (r *Report) markdown(pictures string) string {
	var b strings.Builder
	r.head(&b)
	if goals := r.summary(); len(goals.Rows) > 0 {
		b.WriteString("## Goals by subject\n\n")
		table(&b, goals)
	}
	for _, s := range r.Sections {
		s.write(&b, pictures)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (r *Report) head(b *strings.Builder) {
	b.WriteString("# Benchmarks against the alternatives\n\n")
	if r.Quick {
		b.WriteString("**A quick run on small catalogs. It shows that everything works, not how fast it is.**\n\n")
	}
	fmt.Fprintf(b, "Made by `%s` on %s, in %v. All candidates of a table were measured together, in interleaved rounds of\n"+
		"random order. A figure is the median of the rounds with its range, [lowest–highest]. A ratio is taken within each\n"+
		"round, so it is not the quotient of the medians. Load and servers share the machine: ratios matter, absolute\n"+
		"figures do not. All sides were checked to give the same answers before they were timed.\n\n",
		r.Command, r.Date.Format("2006-01-02 15:04 MST"), r.Took.Round(time.Second))
	rows := append([][2]string{}, r.Machine...)
	rows = append(rows, [2]string{"Go", runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH})
	t := Table{Head: []string{"machine and versions", ""}}
	for _, row := range append(rows, r.Versions...) {
		t.Rows = append(t.Rows, row[:])
	}
	table(b, t)
}

// summary returns a table with the number of goals met and the goals that were not,
// by subject.
func (r *Report) summary() Table {
	t := Table{Head: []string{"subject", "goals met", "stretch too", "not met, or not measured"}}
	var total tally
	for _, s := range r.Sections {
		own := s.tally()
		total.add(own)
		switch {
		case s.Failure != "":
			t.Rows = append(t.Rows, []string{s.Title, "", "", "**failed**"})
		case own.goals > 0:
			t.Rows = append(t.Rows, own.row(s.Title))
		}
	}
	if len(t.Rows) > 1 {
		total.missed = nil
		if n := len(r.Failed()); n > 0 {
			total.missed = []string{fmt.Sprintf("the goals of failed subjects (%d) are not counted", n)}
		}
		t.Rows = append(t.Rows, total.row("all"))
	}
	return t
}

// tally counts goals.
type tally struct {
	goals, met, stretches, stretched int
	missed                           []string
}

func (s Section) tally() tally {
	t := tally{goals: len(s.Goals)}
	for _, g := range s.Goals {
		if g.hasStretch() {
			t.stretches++
		}
		if g.Stretched() {
			t.stretched++
		}
		if g.Met() {
			t.met++
		} else {
			t.missed = append(t.missed, g.miss())
		}
	}
	return t
}

func (t *tally) add(other tally) {
	t.goals, t.met = t.goals+other.goals, t.met+other.met
	t.stretches, t.stretched = t.stretches+other.stretches, t.stretched+other.stretched
}

func (t tally) row(title string) []string {
	return []string{title, fmt.Sprintf("%d of %d", t.met, t.goals), fmt.Sprintf("%d of %d", t.stretched, t.stretches), strings.Join(t.missed, "; ")}
}

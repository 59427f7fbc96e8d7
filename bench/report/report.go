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

// WriteTo writes the report as Markdown: on what, how many goals are met, then
// each section. It has no pictures.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, r.markdown(""))
	return int64(n), err
}

// pictures is the folder of the pictures, beside the file that shows them.
const pictures = "pictures"

// WriteFile writes the report into a file, and its pictures as SVG into the
// folder "pictures" beside it.
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

// summary counts the goals of each subject and lists those that are not met;
// every goal has its line in the section.
func (r *Report) summary() Table {
	t := Table{Head: []string{"subject", "goals met", "stretch too", "not met, or not measured"}}
	var all tally
	for _, s := range r.Sections {
		own := s.tally()
		all.add(own)
		switch {
		case s.Failure != "":
			t.Rows = append(t.Rows, []string{s.Title, "", "", "**failed**"})
		case own.goals > 0:
			t.Rows = append(t.Rows, own.row(s.Title))
		}
	}
	if len(t.Rows) > 1 {
		all.open = nil
		if n := len(r.Failed()); n > 0 {
			all.open = []string{fmt.Sprintf("not counting the goals of %d that failed", n)}
		}
		t.Rows = append(t.Rows, all.row("all"))
	}
	return t
}

// tally counts goals.
type tally struct {
	goals, met, stretches, stretched int
	open                             []string
}

func (s Section) tally() tally {
	t := tally{goals: len(s.Goals)}
	for _, g := range s.Goals {
		if g.stretches() {
			t.stretches++
		}
		if g.Stretched() {
			t.stretched++
		}
		if g.Met() {
			t.met++
		} else {
			t.open = append(t.open, g.misses())
		}
	}
	return t
}

func (t *tally) add(other tally) {
	t.goals, t.met = t.goals+other.goals, t.met+other.met
	t.stretches, t.stretched = t.stretches+other.stretches, t.stretched+other.stretched
}

func (t tally) row(title string) []string {
	return []string{title, fmt.Sprintf("%d of %d", t.met, t.goals), fmt.Sprintf("%d of %d", t.stretched, t.stretches), strings.Join(t.open, "; ")}
}

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
	r.goals(&b)
	r.machine(&b)
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
		"round, so it is not the quotient of the medians. Load and servers share the machine, so compare ratios, not absolute\n"+
		"figures. All sides were checked to give the same answers before they were timed.\n\n",
		r.Command, r.Date.Format("2006-01-02 15:04 MST"), r.Took.Round(time.Second))
}

func (r *Report) machine(b *strings.Builder) {
	rows := append([][2]string{}, r.Machine...)
	rows = append(rows, [2]string{"Go", runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH})
	t := Table{Head: []string{"", ""}}
	for _, row := range append(rows, r.Versions...) {
		t.Rows = append(t.Rows, row[:])
	}
	b.WriteString("## Machine and versions\n\n")
	table(b, t)
}

// goals writes one table of all goals, and what is known about those that are not met.
func (r *Report) goals(b *strings.Builder) {
	t := Table{Head: []string{"what", "measure and peer", "measured", "goal", "stretch", "met"}}
	var missed strings.Builder
	met, stretches, stretched := 0, 0, 0
	for _, s := range r.Sections {
		if s.Failure != "" {
			t.Rows = append(t.Rows, []string{s.Title, "", "", "", "", "**failed**"})
		}
		for _, g := range s.Goals {
			t.Rows = append(t.Rows, append([]string{s.Title}, g.row()...))
			stretches += count(g.hasStretch())
			stretched += count(g.Stretched())
			met += count(g.Met())
		}
		if s.Tried != "" && !everyPart(s.Goals, Goal.Met) {
			fmt.Fprintf(&missed, "- %s: %s\n", s.Title, s.Tried)
		}
	}
	if len(t.Rows) == 0 {
		return
	}
	t.Caption = fmt.Sprintf("%d of %d goals are met, and %d of %d stretch goals.", met, len(t.Rows)-len(r.Failed()), stretched, stretches)
	b.WriteString("## Goals\n\n")
	table(b, t)
	if missed.Len() > 0 {
		fmt.Fprintf(b, "What was tried for goals that are not met:\n\n%s\n", &missed)
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

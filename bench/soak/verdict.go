package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gamedex/bench/harness"
	"gamedex/bench/report"
)

// judged is the shortest run in which growth is judged. In the second half of a shorter one,
// swings of a few minutes look like growth.
const judged = 30 * time.Minute

// verdict is what came of a run.
type verdict struct {
	*soak
	growths    []growth
	complaints map[string]int // warnings and errors of the logs, by their text
	failures   []string
}

// judge returns what came of a run that has ended.
func (s *soak) judge() verdict {
	v := verdict{soak: s, complaints: map[string]int{}}
	for _, what := range slices.Sorted(maps.Keys(s.book.failures)) {
		v.failures = append(v.failures, fmt.Sprintf("%d times: %s", s.book.failures[what], what))
	}
	for _, n := range s.nodes {
		counts, failures := n.complaints()
		for text, times := range counts {
			v.complaints[text] += times
		}
		v.failures = append(v.failures, failures...)
	}
	if s.length >= judged {
		v.growths = s.curves.growths(s.length.Minutes())
	}
	for _, g := range v.growths {
		if g.rise > g.most {
			v.failures = append(v.failures, fmt.Sprintf("%s of %s grows by %.1f in the second half, at most %.1f is allowed", g.title, g.line, g.rise, g.most))
		}
	}
	return v
}

// write writes the samples, the picture and the summary.
func (v verdict) write(dir string) error {
	picture := report.Panels{Title: v.title(), XLabel: "minutes", Panels: v.curves.panels}
	for name, text := range map[string][]byte{"samples.csv": v.curves.csv(), "curves.svg": picture.SVG(), "summary.md": []byte(v.summary())} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (v verdict) title() string {
	on := "one process, embedded"
	if v.engines {
		on = fmt.Sprintf("%d processes on PostgreSQL, Redis and S3", len(v.nodes))
	}
	return fmt.Sprintf("%.3g minutes of load: %s", v.length.Minutes(), on)
}

// summary returns the figures and the verdict as Markdown.
func (v verdict) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nStarted %s, seed %d, %d requests a second", v.title(), v.began.UTC().Format(time.RFC3339), v.run.Seed, v.rate)
	for _, m := range harness.Machine() {
		fmt.Fprintf(&b, ", %s: %s", m[0], m[1])
	}
	b.WriteString(".\n\n| what | how often |\n|---|---:|\n")
	for _, list := range []struct {
		prefix string
		counts map[string]int
	}{{"answers with status ", v.book.answers}, {"", v.events}, {"", map[string]int{"requests without an answer at a kill": v.book.lost}}} {
		for _, what := range slices.Sorted(maps.Keys(list.counts)) {
			fmt.Fprintf(&b, "| %s%s | %d |\n", list.prefix, what, list.counts[what])
		}
	}
	v.writeKeys(&b)
	v.writeGrowth(&b)
	if len(v.complaints) > 0 {
		b.WriteString("\n| in the logs | times |\n|---|---:|\n")
		for _, text := range slices.Sorted(maps.Keys(v.complaints)) {
			fmt.Fprintf(&b, "| %s | %d |\n", text, v.complaints[text])
		}
	}
	b.WriteString("\nVerdict: " + []string{"passed", "failed"}[min(1, len(v.failures))] + "\n")
	for _, f := range v.failures {
		b.WriteString("- " + f + "\n")
	}
	return b.String()
}

// writeKeys writes what was counted of each kind of key.
func (v verdict) writeKeys(b *strings.Builder) {
	sums := map[string]entry{}
	for _, e := range v.book.entries {
		sum := sums[e.name]
		sum.passed.add(e.passed)
		sum.refused.add(e.refused)
		sum.unsure += e.unsure
		sums[e.name] = sum
	}
	b.WriteString("\n| key | counted by clients | stored | refused | stored as refused | not answered | shortly before a kill |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		e := sums[name]
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %d |\n", name, e.passed.answered, e.passed.stored, e.refused.answered, e.refused.stored,
			e.unsure, e.passed.lost+e.refused.lost)
	}
}

// writeGrowth writes what has grown in the second half.
func (v verdict) writeGrowth(b *strings.Builder) {
	if len(v.growths) == 0 {
		fmt.Fprintf(b, "\nGrowth is judged in runs of %v or more.\n", judged)
		return
	}
	b.WriteString("\n| second half | process | mean | rise | allowed |\n|---|---|---:|---:|---:|\n")
	slices.SortStableFunc(v.growths, func(a, c growth) int { return cmp.Compare(a.title, c.title) })
	for _, g := range v.growths {
		fmt.Fprintf(b, "| %s | %s | %.1f | %+.1f | %.1f |\n", g.title, g.line, g.mean, g.rise, g.most)
	}
}

package resolve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"gamedex/internal/index"
	"gamedex/internal/resolve"
	"gamedex/internal/testing/golden"
)

// score counts the matches of a kind and half, one for each line and store.
type score struct{ resolved, right, present, first, absent, notFound int }

func (s *score) add(o score) {
	s.resolved, s.right, s.present = s.resolved+o.resolved, s.right+o.right, s.present+o.present
	s.first, s.absent, s.notFound = s.first+o.first, s.absent+o.absent, s.notFound+o.notFound
}

// judge returns the score of one match, and what is wrong with it.
func judge(l line, m *resolve.Match, titled map[string][]index.Card) (s score, wrong string) {
	var wanted []index.Card
	for _, title := range l.wanted {
		if wanted = titled[m.Platform.String()+title]; len(wanted) > 0 {
			break
		}
	}
	first := index.Card{}
	if m.Status == resolve.Resolved {
		first = m.Card
	} else if list := m.Candidates(); len(list) > 0 {
		first = list[0]
	}
	hit := slices.Contains(wanted, first)
	if m.Status == resolve.Resolved {
		s.resolved++
		// Of several cards with one title none is right, unless the line names a console.
		if named := namesConsole(l.text, "4") != namesConsole(l.text, "5"); hit && (len(wanted) == 1 || named) {
			s.right++
		} else {
			wrong = "resolved as " + m.Card.Title()
		}
	}
	if len(wanted) > 0 {
		s.present++
		if hit {
			s.first++
		} else if wrong == "" {
			wrong = "not found"
		}
	} else {
		s.absent++
		if m.Status == resolve.NotFound {
			s.notFound++
		} else if wrong == "" {
			wrong = "ambiguous: " + first.Title()
		}
	}
	return s, wrong
}

func namesConsole(text, number string) bool {
	return strings.Contains(text, "PS"+number) || strings.Contains(text, "PlayStation "+number)
}

// TestJudged checks the promises on both halves of the judged lines. The scores are in
// testdata/results.txt, the misses of the half for tuning in misses-tune.txt.
func TestJudged(t *testing.T) {
	v := world()
	titled := map[string][]index.Card{}
	for n := range v.Len() {
		c := v.Card(n)
		titled[c.Platform().String()+c.Title()] = append(titled[c.Platform().String()+c.Title()], c)
	}
	r := &resolve.Resolver{View: v}
	var kinds []string
	scores := map[string]*score{}
	var misses strings.Builder
	var matches []resolve.Match
	for _, l := range judged(t) {
		matches = r.Resolve(resolve.Item{Text: l.text}, matches[:0])
		for i := range matches {
			s, wrong := judge(l, &matches[i], titled)
			if l.half == "tune" && wrong != "" {
				fmt.Fprintf(&misses, "%s | %s | %s | %s\n", l.kind, matches[i].Platform, l.text, wrong)
			}
			for _, kind := range []string{l.kind, "all"} {
				if !slices.Contains(kinds, kind) {
					kinds = append(kinds, kind)
				}
				of := scores[kind+l.half]
				if of == nil {
					of = &score{}
					scores[kind+l.half] = of
				}
				of.add(s)
			}
		}
	}
	kinds = append(slices.DeleteFunc(kinds, func(k string) bool { return k == "all" }), "all")
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind\thalf\tresolved\tright\tpresent\tfirst\tabsent\tnot found")
	for _, kind := range kinds {
		for _, half := range []string{"tune", "held"} {
			s := scores[kind+half]
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%d\t%s\t%d\t%s\n", kind, half,
				s.resolved, share(s.right, s.resolved), s.present, share(s.first, s.present), s.absent, share(s.notFound, s.absent))
			if kind == "all" {
				want := func(what string, part, whole int, least float64) {
					if float64(part) < least*float64(whole) {
						t.Errorf("%s half: %s: %d of %d, want at least %.0f %%", half, what, part, whole, 100*least)
					}
				}
				want("resolved and right", s.right, s.resolved, 0.99)
				want("present games resolved or first candidate", s.first, s.present, 0.92)
				want("absent games not found", s.notFound, s.absent, 0.95)
			}
		}
	}
	w.Flush()
	golden.Check(t, "testdata/results.txt", table.String())
	golden.Check(t, "testdata/misses-tune.txt", misses.String())
}

func share(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(part)/float64(whole))
}

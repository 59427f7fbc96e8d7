package searchquality

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// Depth is how many results are requested: a later result counts as missing.
const Depth = 10

// Find answers a query with numbers of cards, best first, at most limit.
type Find func(text string, limit int) []int

// Report has the answers to the queries of a Set, in the order of the set.
type Report struct {
	set     *Set
	Answers []Answer
}

// Answer is the result of one query.
type Answer struct {
	Query *Query
	Cards []int // the first Depth
	Rank  int   // of the first wanted card, from 1 on; 0 if it is not there
}

// Evaluate runs all queries of a set.
func Evaluate(s *Set, find Find) *Report {
	r := &Report{set: s}
	for i := range s.Queries {
		q := &s.Queries[i]
		cards := find(q.Text, Depth)
		rank := 1 + slices.IndexFunc(cards, func(c int) bool { return slices.Contains(q.Wanted, c) })
		r.Answers = append(r.Answers, Answer{q, cards, rank})
	}
	return r
}

// Score summarizes the answers to some queries.
type Score struct {
	Queries, First, TopThree, TopFive, Empty int
	reciprocal                               float64
}

// Score returns the score of a class in a half; "" means all classes or both
// halves.
func (r *Report) Score(class string, half Half) (s Score) {
	for _, a := range r.Answers {
		if class != "" && a.Query.Class != class || half != "" && a.Query.Half != half {
			continue
		}
		s.Queries++
		if len(a.Cards) == 0 {
			s.Empty++
		}
		if a.Rank == 0 {
			continue
		}
		s.reciprocal += 1 / float64(a.Rank)
		if a.Rank == 1 {
			s.First++
		}
		if a.Rank <= 3 {
			s.TopThree++
		}
		if a.Rank <= 5 {
			s.TopFive++
		}
	}
	return s
}

// MRR returns the mean of 1 / rank of the first wanted card, with 0 where it is
// missing.
func (s Score) MRR() float64 { return s.reciprocal / float64(max(1, s.Queries)) }

// Recall1 returns the share of queries with a wanted card in the first place.
func (s Score) Recall1() float64 { return float64(s.First) / float64(max(1, s.Queries)) }

// Recall3 returns the share of queries with a wanted card among the first three.
func (s Score) Recall3() float64 { return float64(s.TopThree) / float64(max(1, s.Queries)) }

// Recall5 returns the share of queries with a wanted card among the first five.
func (s Score) Recall5() float64 { return float64(s.TopFive) / float64(max(1, s.Queries)) }

// Table returns, as text, the scores of every class and half, and of all
// classes.
func (r *Report) Table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "class\thalf\tqueries\tMRR\trecall@1\trecall@3\trecall@5\tempty")
	var classes []string
	for _, q := range r.set.Queries {
		if !slices.Contains(classes, q.Class) {
			classes = append(classes, q.Class)
		}
	}
	for _, class := range append(classes, "") {
		for _, half := range []Half{Tune, Held} {
			s, name := r.Score(class, half), cmp.Or(class, "all")
			fmt.Fprintf(w, "%s\t%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%d\n",
				name, half, s.Queries, s.MRR(), s.Recall1(), s.Recall3(), s.Recall5(), s.Empty)
		}
	}
	w.Flush()
	return b.String()
}

// Misses returns, as text, the queries of a half whose first answer is not
// wanted, each with that answer, the wanted cards and the rank of the first of
// them.
func (r *Report) Misses(half Half) string {
	var b strings.Builder
	for _, a := range r.Answers {
		if a.Query.Half != half || a.Rank == 1 {
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n  wanted at %d: %s\n", a.Query.Class, a.Query.Text, a.Rank, r.titles(a.Query.Wanted))
		if len(a.Cards) > 0 {
			fmt.Fprintf(&b, "  came: %s\n", r.titles(a.Cards[:min(5, len(a.Cards))]))
		}
	}
	return b.String()
}

// titles returns the titles of cards, each title once.
func (r *Report) titles(cards []int) string {
	var all []string
	for _, c := range cards {
		if t := r.set.Cards[c].Title(); !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return strings.Join(all, " | ")
}

package encode

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"time"

	"gamedex/bench/lab"
	"gamedex/bench/measure"
	"gamedex/bench/plain"
	"gamedex/bench/report"
)

const (
	ours      = "the service's handlers, answer thrown away"
	structs   = "encoding/json: structs built and marshalled"
	fragments = "memcpy of the cards' fragments"
	whole     = "memcpy of the finished answer"
)

// Sets is how many different answers there are, and IDs how many ids each has.
const sets, ids = 64, 1000

// Subject compares encoders.
func Subject() lab.Subject { return lab.Subject{Name: "encode", Measure: run} }

func run(ctx context.Context, l *lab.Lab) (report.Section, error) {
	c, err := l.Catalog(ctx, lab.Pick(l, 20_000, 100_000), 4)
	if err != nil {
		return report.Section{}, err
	}
	h, err := l.Handler(ctx, c.View)
	if err != nil {
		return report.Section{}, err
	}
	s := &stand{l: l, c: c, h: h, now: time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC).UnixMilli()}
	if err := s.prepare(); err != nil {
		return report.Section{}, err
	}
	n := lab.Pick(l, 2, 8) * sets
	runs, err := l.Rounds(ctx,
		s.candidate(ours, n, func(i int) error { return s.h.Do(s.requests[i], &s.sink) }),
		s.candidate(structs, n/4, func(i int) error { _, err := plain.Marshal(s.c.View, s.ids[i], s.now); return err }),
		s.candidate(fragments, n, func(i int) error { s.copyFragments(i); return nil }),
		s.candidate(whole, n, func(i int) error { s.out = append(s.out[:0], s.answers[i]...); return nil }),
	)
	if err != nil {
		return report.Section{}, err
	}
	return section(l, s, runs), nil
}

// stand is what all sides answer.
type stand struct {
	l        *lab.Lab
	c        *lab.Catalog
	h        *lab.Handler
	now      int64
	ids      [][]string
	requests []*http.Request
	answers  [][]byte
	parts    [][][]byte // by set: the items as ours wrote them, each in memory of its own
	sink     lab.Discard
	out      []byte
}

// prepare draws the ids and checks that both sides answer the same.
func (s *stand) prepare() error {
	rng := s.l.Rng(21)
	for i := range sets {
		s.ids = append(s.ids, nil)
		for _, n := range rng.Perm(s.c.View.Len())[:ids] {
			s.ids[i] = append(s.ids[i], s.c.View.Card(n).ID())
		}
		body, err := json.Marshal(map[string]any{"ids": s.ids[i]})
		if err != nil {
			return err
		}
		s.requests = append(s.requests, s.h.Post(string(body)))
		w := lab.Discard{Keep: true}
		if err := s.h.Do(s.requests[i], &w); err != nil {
			return err
		}
		s.answers = append(s.answers, w.Body)
		if err := s.check(i); err != nil {
			return fmt.Errorf("set %d: %w", i, err)
		}
	}
	return nil
}

// check compares ours with the structs, and cuts ours into fragments.
func (s *stand) check(i int) error {
	var got plain.Answer
	if err := json.Unmarshal(s.answers[i], &got); err != nil {
		return err
	}
	marshalled, err := plain.Marshal(s.c.View, s.ids[i], s.now)
	if err != nil {
		return err
	}
	var want plain.Answer
	if err := json.Unmarshal(marshalled, &want); err != nil {
		return err
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("the answers differ: %s", firstDifference(got, want))
	}
	var raw struct {
		Data struct{ Items []json.RawMessage }
	}
	if err := json.Unmarshal(s.answers[i], &raw); err != nil {
		return err
	}
	s.parts = append(s.parts, nil)
	for _, item := range raw.Data.Items {
		s.parts[i] = append(s.parts[i], item)
	}
	return nil
}

func firstDifference(got, want plain.Answer) string {
	for i := range min(len(got.Data.Items), len(want.Data.Items)) {
		if a, b := got.Data.Items[i], want.Data.Items[i]; !reflect.DeepEqual(a, b) {
			x, _ := json.Marshal(a)
			y, _ := json.Marshal(b)
			return fmt.Sprintf("item %d\n%s\n%s", i, x, y)
		}
	}
	return fmt.Sprintf("%d and %d items, regions %v and %v", len(got.Data.Items), len(want.Data.Items), got.Regions, want.Regions)
}

func (s *stand) copyFragments(i int) {
	s.out = s.out[:0]
	for _, part := range s.parts[i] {
		s.out = append(append(s.out, part...), ',')
	}
}

// candidate runs n answers in a round.
func (s *stand) candidate(name string, n int, op func(set int) error) measure.Candidate {
	return measure.Candidate{Name: name, Round: func(context.Context) (measure.Sample, error) {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var failed error
		sample := measure.Latency(n, func(i int) {
			if err := op(i % sets); err != nil {
				failed = err
			}
		})
		runtime.ReadMemStats(&after)
		// The clocks of Latency take one allocation in all.
		sample[measure.Allocs] = float64(after.Mallocs-before.Mallocs) / float64(n)
		return sample, failed
	}}
}

func section(l *lab.Lab, s *stand, runs measure.Runs) report.Section {
	allocs, _ := runs.Of(ours, measure.Allocs)
	return report.Section{
		Title: "Bulk prices: encoding 1000 ids x 4 regions in the process",
		Intro: fmt.Sprintf("%d cards, %d random sets of %d ids, answers of %s bytes. Ours includes everything from the request on: id, key, limits, "+
			"the JSON of the body, headers; the others get the ids parsed.", s.c.View.Len(), sets, ids, strings.TrimSpace(fmt.Sprint(len(s.answers[0])))),
		Goals: []report.Goal{
			{What: "time of encoding/json / time of ours (p50)", Limit: 8, Stretch: 11, Unit: "x", Figure: runs.Ratio(measure.P50, structs, ours)},
			{What: "time of ours / time of the fragments' memcpy (p50)", AtMost: true, Limit: 3.5, Stretch: 2, Unit: "x", Figure: runs.Ratio(measure.P50, ours, fragments)},
			{What: "allocations of an answer, the whole request", AtMost: true, Limit: 5, Figure: allocs},
		},
		Tables: []report.Table{report.Compare("", runs, ours, measure.P50, measure.P99, measure.Allocs)},
	}
}

package encode

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"gamedex/bench/lab"
	"gamedex/bench/measure"
	"gamedex/bench/plain"
	"gamedex/bench/report"
)

const (
	ours      = "the service's handlers, answer thrown away"
	one       = "the same for one id"
	structs   = "encoding/json: structs built and marshalled"
	fragments = "memcpy of the cards' fragments"
	whole     = "memcpy of the finished answer"
)

const ids = 1000 // in a set

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
	s := &stand{c: c, h: h, now: time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC).UnixMilli(), ids: c.DrawIDs(l.Rng(21), lab.Pick(l, 16, 64), ids)}
	if err := s.prepare(); err != nil {
		return report.Section{}, err
	}
	n, sets, alone := lab.Pick(l, 128, 512), len(s.ids), h.Prices(s.ids[0][:1])
	runs, err := l.Rounds(ctx,
		measure.Repeat(ours, n, func(i int) error { return s.h.Do(s.requests[i%sets], &s.sink) }),
		measure.Repeat(one, n, func(int) error { return s.h.Do(alone, &s.sink) }),
		measure.Repeat(structs, n/4, func(i int) error { _, err := plain.Marshal(s.c.View, s.ids[i%sets], s.now); return err }),
		measure.Repeat(fragments, n, func(i int) error { s.copyFragments(i % sets); return nil }),
		measure.Repeat(whole, n, func(i int) error { s.out = append(s.out[:0], s.answers[i%sets]...); return nil }),
	)
	if err != nil {
		return report.Section{}, err
	}
	return section(s, runs), nil
}

// stand is what all sides answer.
type stand struct {
	c         *lab.Catalog
	h         *lab.Handler
	now       int64
	ids       [][]string
	requests  []*http.Request
	answers   [][]byte
	fragments map[string][]byte // by id: the item of every card as ours wrote it
	parts     [][][]byte        // by set: those of its ids, wherever they are in memory
	sink      lab.Discard
	out       []byte
}

// prepare checks that both sides answer the same, and finds the fragments of
// each set.
func (s *stand) prepare() error {
	if err := s.cutAll(); err != nil {
		return err
	}
	for i, set := range s.ids {
		s.requests = append(s.requests, s.h.Prices(set))
		answer, err := s.h.Answer(s.requests[i])
		if err != nil {
			return err
		}
		if err := s.check(answer, set); err != nil {
			return fmt.Errorf("set %d: %w", i, err)
		}
		var parts [][]byte
		for _, id := range set {
			parts = append(parts, s.fragments[id])
		}
		s.answers, s.parts = append(s.answers, answer), append(s.parts, parts)
	}
	return nil
}

// cutAll has the fragments of all cards in one memory, in the order of cards:
// those of a set are as far apart as they would be in a table of fragments.
func (s *stand) cutAll() error {
	s.fragments = make(map[string][]byte, s.c.View.Len())
	for from := 0; from < s.c.View.Len(); from += ids {
		var set []string
		for i := from; i < min(from+ids, s.c.View.Len()); i++ {
			set = append(set, s.c.View.Card(i).ID())
		}
		answer, err := s.h.Answer(s.h.Prices(set))
		if err != nil {
			return err
		}
		items, err := cut(answer)
		if err != nil {
			return err
		}
		if len(items) != len(set) {
			return fmt.Errorf("%d items of %d cards", len(items), len(set))
		}
		for i, item := range items {
			s.fragments[set[i]] = item
		}
	}
	return nil
}

// check compares ours with the structs.
func (s *stand) check(answer []byte, ids []string) error {
	marshalled, err := plain.Marshal(s.c.View, ids, s.now)
	if err != nil {
		return err
	}
	var got, want plain.Answer
	if err := json.Unmarshal(answer, &got); err != nil {
		return err
	}
	if err := json.Unmarshal(marshalled, &want); err != nil {
		return err
	}
	if err := plain.Compare(got.Data.Items, want.Data.Items); err != nil {
		return err
	}
	if !got.OK || len(got.Data.NotFound)+len(want.Data.NotFound) > 0 || !slices.Equal(got.Regions, want.Regions) {
		return fmt.Errorf("the answers differ beside their items: %v and %v, regions %v and %v",
			got.Data.NotFound, want.Data.NotFound, got.Regions, want.Regions)
	}
	return nil
}

// cut gives the items of an answer.
func cut(answer []byte) ([]json.RawMessage, error) {
	var raw struct {
		Data struct{ Items []json.RawMessage }
	}
	err := json.Unmarshal(answer, &raw)
	return raw.Data.Items, err
}

func (s *stand) copyFragments(set int) {
	s.out = s.out[:0]
	for _, part := range s.parts[set] {
		s.out = append(append(s.out, part...), ',')
	}
}

func section(s *stand, runs measure.Runs) report.Section {
	return report.Section{
		Title: "Bulk prices: encoding 1000 ids x 4 regions in the process",
		Intro: fmt.Sprintf("%d cards, %d random sets of %d ids, answers of %d bytes. Ours does more than the others: it includes everything from the request on "+
			"(id, key, limits, the JSON of the body, headers, the answer's counts and times); they get the ids parsed. The goal of allocations is about what "+
			"a thousand ids take more than one does: a request of one has all that stands around the encoding. The fragments are what ours wrote of every card, side by side in memory in the order of cards.", s.c.View.Len(), len(s.ids), ids, len(s.answers[0])),
		Goals: []report.Goal{
			{What: "p50 of encoding/json / ours", Limit: 8, Stretch: 11, Unit: "x", Figure: runs.Ratio(measure.P50, structs, ours)},
			{What: "p50 of ours / the fragments' memcpy", AtMost: true, Limit: 3.5, Stretch: 2, Unit: "x", Figure: runs.Ratio(measure.P50, ours, fragments)},
			{What: "allocations for 1000 ids, beside those for one", AtMost: true, Limit: 5, Figure: runs.Difference(measure.Allocs, ours, one)},
		},
		Tables: []report.Table{report.Compare("", runs, ours, measure.P50, measure.P99, measure.Allocs)},
	}
}

package instead

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"gamedex/bench/lab"
	"gamedex/bench/measure"
	"gamedex/bench/plain"
	"gamedex/bench/report"
)

const (
	ours     = "the service's handlers"
	redis    = "Redis MGET of ready documents"
	sqlite   = "SQLite rows, structs, encoding/json"
	postgres = "PostgreSQL json_agg"
)

const sets, ids = 32, 1000

// Subject compares answers of bulk prices.
func Subject() lab.Subject { return lab.Subject{Name: "instead", Measure: run} }

// side answers one set of ids with the JSON of the items.
type side interface {
	items(ctx context.Context, ids []string) ([]byte, error)
}

func run(ctx context.Context, l *lab.Lab) (report.Section, error) {
	c, err := l.Catalog(ctx, lab.Pick(l, 20_000, 100_000), 4)
	if err != nil {
		return report.Section{}, err
	}
	all, now := everything(c), time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC).UnixMilli()
	documents := plain.Of(c.View, all, now).Data.Items
	questions := draw(l, all)
	sides := map[string]side{}
	for name, start := range map[string]func(context.Context, *lab.Lab, []plain.Item) (side, error){
		redis: startRedis, sqlite: startSQLite, postgres: startPostgres,
	} {
		l.Logf("  filling: %s", name)
		if sides[name], err = start(ctx, l, documents); err != nil {
			return report.Section{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	h, err := newHandlers(ctx, l, c, questions)
	if err != nil {
		return report.Section{}, err
	}
	for name, s := range sides {
		if err := same(ctx, h, s, questions); err != nil {
			return report.Section{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	runs, err := l.Rounds(ctx,
		candidate(ours, lab.Pick(l, 64, 300), func(i int) error { return h.do(i) }),
		asked(ctx, redis, sides, questions, lab.Pick(l, 64, 300)),
		asked(ctx, sqlite, sides, questions, lab.Pick(l, 16, 60)),
		asked(ctx, postgres, sides, questions, lab.Pick(l, 8, 40)),
	)
	if err != nil {
		return report.Section{}, err
	}
	return section(c, runs), nil
}

func everything(c *lab.Catalog) []string {
	all := make([]string, c.View.Len())
	for i := range all {
		all[i] = c.View.Card(i).ID()
	}
	return all
}

func draw(l *lab.Lab, all []string) [][]string {
	rng := l.Rng(31)
	questions := make([][]string, sets)
	for i := range questions {
		for _, n := range rng.Perm(len(all))[:ids] {
			questions[i] = append(questions[i], all[n])
		}
	}
	return questions
}

// same checks that a side gives the items of ours, in the order asked.
func same(ctx context.Context, h *handlers, s side, questions [][]string) error {
	for i := range 2 {
		var want plain.Answer
		answer, err := h.body(i)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(answer, &want); err != nil {
			return err
		}
		text, err := s.items(ctx, questions[i])
		if err != nil {
			return err
		}
		var got []plain.Item
		if err := json.Unmarshal(text, &got); err != nil {
			return err
		}
		for n := range want.Data.Items {
			if n >= len(got) || !reflect.DeepEqual(got[n], want.Data.Items[n]) {
				return fmt.Errorf("item %d of set %d differs or is missing: want %+v", n, i, want.Data.Items[n])
			}
		}
	}
	return nil
}

// handlers are the service in this process.
type handlers struct {
	h        *lab.Handler
	requests []*http.Request
	sink     lab.Discard
}

func newHandlers(ctx context.Context, l *lab.Lab, c *lab.Catalog, questions [][]string) (*handlers, error) {
	next, err := l.Handler(ctx, c.View)
	if err != nil {
		return nil, err
	}
	h := &handlers{h: next}
	for _, ids := range questions {
		body, err := json.Marshal(map[string]any{"ids": ids})
		if err != nil {
			return nil, err
		}
		h.requests = append(h.requests, next.Post(string(body)))
	}
	return h, nil
}

func (h *handlers) do(i int) error { return h.h.Do(h.requests[i%sets], &h.sink) }

func (h *handlers) body(i int) ([]byte, error) {
	w := lab.Discard{Keep: true}
	err := h.h.Do(h.requests[i], &w)
	return w.Body, err
}

func candidate(name string, n int, op func(i int) error) measure.Candidate {
	return measure.Candidate{Name: name, Round: func(context.Context) (measure.Sample, error) {
		var failed error
		s := measure.Latency(n, func(i int) {
			if err := op(i); err != nil {
				failed = err
			}
		})
		return s, failed
	}}
}

func asked(ctx context.Context, name string, sides map[string]side, questions [][]string, n int) measure.Candidate {
	return candidate(name, n, func(i int) error {
		_, err := sides[name].items(ctx, questions[i%sets])
		return err
	})
}

func section(c *lab.Catalog, runs measure.Runs) report.Section {
	goal := func(name string, limit, stretch float64) report.Goal {
		return report.Goal{What: "p50 of " + name + " / p50 of ours", Limit: limit, Stretch: stretch, Unit: "x",
			Figure: runs.Ratio(measure.P50, name, ours)}
	}
	return report.Section{
		Title: "Bulk prices against what one would build instead",
		Intro: fmt.Sprintf("One answer of %d random ids in four regions at a time, out of %d cards; %d sets of ids. Ours is the whole stack of handlers in this "+
			"process. Redis holds a document for each game, as finished as it can be while rates stay; the databases hold a row for each game and region, "+
			"with the texts and the dollars in it. All sides gave the same items before they were timed.", ids, c.View.Len(), sets),
		Goals:  []report.Goal{goal(redis, 3, 4), goal(sqlite, 15, 25), goal(postgres, 50, 80)},
		Tables: []report.Table{report.Compare("", runs, ours, measure.P50, measure.P99)},
	}
}

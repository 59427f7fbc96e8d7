package instead

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
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
	h, err := l.Handler(ctx, c.View)
	if err != nil {
		return report.Section{}, err
	}
	w := &world{h: h, questions: c.DrawIDs(l.Rng(31), sets, ids), sides: map[string]side{}}
	if err := w.start(ctx, l, c); err != nil {
		return report.Section{}, err
	}
	candidates := []measure.Candidate{w.ours(lab.Pick(l, 64, 300))}
	for _, s := range starts {
		candidates = append(candidates, w.asked(ctx, s.name, lab.Pick(l, s.quick, s.whole)))
	}
	runs, err := l.Rounds(ctx, candidates...)
	if err != nil {
		return report.Section{}, err
	}
	return section(c, runs), nil
}

// starts are the others, and how often each is asked in a round.
var starts = []struct {
	name         string
	start        func(context.Context, *lab.Lab, []plain.Item) (side, error)
	quick, whole int
}{
	{redis, startRedis, 64, 300}, {sqlite, startSQLite, 16, 60}, {postgres, startPostgres, 8, 40},
}

// world is all sides and what they are asked.
type world struct {
	h         *lab.Handler
	questions [][]string
	sides     map[string]side
}

// start fills the others with every card, and checks that they answer as we do.
func (w *world) start(ctx context.Context, l *lab.Lab, c *lab.Catalog) error {
	all := make([]string, c.View.Len())
	for i := range all {
		all[i] = c.View.Card(i).ID()
	}
	now := time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC).UnixMilli()
	documents := plain.Of(c.View, all, now).Data.Items
	for _, s := range starts {
		l.Logf("  filling: %s", s.name)
		other, err := s.start(ctx, l, documents)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := w.check(ctx, other); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		w.sides[s.name] = other
	}
	return nil
}

// check compares a side's items with ours, in the order asked.
func (w *world) check(ctx context.Context, s side) error {
	for i := range 2 {
		var want plain.Answer
		answer, err := w.h.Answer(w.h.Prices(w.questions[i]))
		if err != nil {
			return err
		}
		if err := json.Unmarshal(answer, &want); err != nil {
			return err
		}
		text, err := s.items(ctx, w.questions[i])
		if err != nil {
			return err
		}
		var got []plain.Item
		if err := json.Unmarshal(text, &got); err != nil {
			return err
		}
		if err := plain.Compare(got, want.Data.Items); err != nil {
			return fmt.Errorf("set %d: %w", i, err)
		}
	}
	return nil
}

func (w *world) ours(n int) measure.Candidate {
	var requests []*http.Request
	for _, ids := range w.questions {
		requests = append(requests, w.h.Prices(ids))
	}
	var sink lab.Discard
	return measure.Repeat(ours, n, func(i int) error { return w.h.Do(requests[i%sets], &sink) })
}

func (w *world) asked(ctx context.Context, name string, n int) measure.Candidate {
	return measure.Repeat(name, n, func(i int) error {
		_, err := w.sides[name].items(ctx, w.questions[i%sets])
		return err
	})
}

func section(c *lab.Catalog, runs measure.Runs) report.Section {
	goal := func(name string, limit, stretch float64) report.Goal {
		return report.Goal{What: "p50 of " + name + " / ours", Limit: limit, Stretch: stretch, Unit: "x",
			Figure: runs.Ratio(measure.P50, name, ours)}
	}
	return report.Section{
		Title: "Bulk prices against what one would build instead",
		Intro: fmt.Sprintf("One answer of %d random ids in four regions at a time, out of %d cards; %d sets of ids. Ours is the whole stack of handlers in this "+
			"process, from the request's JSON on; the others get the ids parsed and give the items alone. The dollars of an answer are computed by us for each request; the others have them "+
			"stored and would have to be filled again when rates change. Redis holds a document for each game, asked with one MGET over a Unix socket; its documents are joined in the client. "+
			"SQLite (modernc, as in the service) is asked with one prepared statement over two tables without row ids, all pages in memory. PostgreSQL (also over a Unix socket, 2 GB of shared buffers, "+
			"pages priced as in memory, jit off, analysed) makes the JSON itself in one prepared statement; its plan was seen to find prices through their primary key.", ids, c.View.Len(), sets),
		Goals:  []report.Goal{goal(redis, 3, 4), goal(sqlite, 15, 25), goal(postgres, 50, 80)},
		Tables: []report.Table{report.Compare("", runs, ours, measure.P50, measure.P99)},
	}
}

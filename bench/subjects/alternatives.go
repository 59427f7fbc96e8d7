package subjects

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/report"
)

const alternativesOurs = "our handlers"

// bulkAlternatives are the other systems, and how many requests each gets in a
// round.
var bulkAlternatives = []struct {
	name           string
	start          func(context.Context, *harness.Run, []alternatives.Item) (alternatives.BulkPrices, error)
	quick, full    int
	limit, stretch float64
}{
	{"Redis MGET of ready documents", alternatives.StartRedis, 64, 300, 3, 4},
	{"SQLite rows, structs, encoding/json", alternatives.StartSQLite, 16, 60, 15, 25},
	{"PostgreSQL json_agg", alternatives.StartPostgres, 8, 40, 50, 80},
}

// measureAlternatives compares bulk prices with databases, one request at a time.
func measureAlternatives(ctx context.Context, r *harness.Run) (report.Section, error) {
	const sets = 32
	c, err := r.SampleCatalog(ctx)
	if err != nil {
		return report.Section{}, err
	}
	h, err := harness.NewHandler(ctx, c.View)
	if err != nil {
		return report.Section{}, err
	}
	ids := c.RandomIDs(r.Rng(31), sets, bulkIDs)
	var requests []*http.Request
	for _, set := range ids {
		requests = append(requests, h.Prices(set, nil))
	}
	var sink harness.ResponseWriter
	candidates := []harness.Candidate{
		harness.Repeat(alternativesOurs, harness.Pick(r, 64, 300), func(i int) error { return h.Do(requests[i%sets], &sink) }),
	}
	var all []string
	for i := range c.View.Len() {
		all = append(all, c.View.Card(i).ID())
	}
	items := alternatives.NewAnswer(c.View, all, harness.Now.UnixMilli()).Data.Items
	for _, a := range bulkAlternatives {
		r.Logf("  starting: %s", a.name)
		prices, err := a.start(ctx, r, items)
		if err != nil {
			return report.Section{}, fmt.Errorf("%s: %w", a.name, err)
		}
		for i := range 2 {
			if err := checkItems(ctx, h, requests[i], prices, ids[i]); err != nil {
				return report.Section{}, fmt.Errorf("%s: set %d: %w", a.name, i, err)
			}
		}
		candidates = append(candidates, harness.Repeat(a.name, harness.Pick(r, a.quick, a.full), func(i int) error {
			_, err := prices.Items(ctx, ids[i%sets])
			return err
		}))
	}
	results, err := r.Rounds(ctx, candidates...)
	if err != nil {
		return report.Section{}, err
	}
	return alternativesSection(c, sets, results), nil
}

// checkItems compares the items of an alternative with ours.
func checkItems(ctx context.Context, h *harness.Handler, request *http.Request, prices alternatives.BulkPrices, ids []string) error {
	answer, err := h.Answer(request)
	if err != nil {
		return err
	}
	var want alternatives.Answer
	if err := json.Unmarshal(answer, &want); err != nil {
		return err
	}
	text, err := prices.Items(ctx, ids)
	if err != nil {
		return err
	}
	var got []alternatives.Item
	if err := json.Unmarshal(text, &got); err != nil {
		return err
	}
	return alternatives.CompareItems(got, want.Data.Items)
}

func alternativesSection(c *harness.Catalog, sets int, results *harness.Results) report.Section {
	s := report.Section{
		Title: "Bulk prices against the alternatives",
		Intro: fmt.Sprintf("One request at a time for %d random ids in four regions, out of %d cards; %d sets of ids. Our side is the whole chain of handlers in this "+
			"process, starting with the JSON of the request; the others get parsed ids and return only the items. We compute prices in dollars for each request; the others have them stored "+
			"and would have to be refilled when rates change. Redis has a document for each card, read with one MGET over a Unix socket; the client joins the documents. "+
			"SQLite (modernc, which the product uses too) runs one prepared statement over two tables without row ids, with all pages in memory. PostgreSQL (also over a Unix socket, with 2 GB of "+
			"shared buffers, page costs set for memory, JIT off, tables analysed) makes the JSON itself in one prepared statement; its plan was checked to find prices by their primary key.",
			bulkIDs, c.View.Len(), sets),
		Tried:  "See the first entry.",
		Tables: []report.Table{report.Compare("", results, alternativesOurs, harness.P50, harness.P99)},
	}
	for _, a := range bulkAlternatives {
		s.Goals = append(s.Goals, report.Goal{What: "p50 of " + a.name + " / ours", Limit: a.limit, Stretch: a.stretch, Unit: "x",
			Figure: results.Ratio(harness.P50, a.name, alternativesOurs)})
	}
	return s
}

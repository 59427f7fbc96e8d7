package subjects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/lists"
	"gamedex/internal/lists/browse"
	"gamedex/internal/lists/deals"
	"gamedex/internal/money"
)

// The sizes of pages and how many different queries there are.
const (
	dealsPage   = 50
	browsePage  = 100
	listQueries = 64
)

// The sides of both lists, before the kind of query.
const (
	listOurs   = "ours, "
	listSQLite = "SQLite, "
)

// The kinds of queries.
const (
	dealsByGenre = "type, genre, discount, dollars"
	dealsByLow   = "type, low of a year, discount, dollars"
	browseAll    = "all cards"
	browseSome   = "a genre, released since"
)

// measureDeals compares lists of deals with SQLite.
func measureDeals(ctx context.Context, r *harness.Run) (report.Section, error) {
	l, err := newLists(ctx, r)
	if err != nil {
		return report.Section{}, err
	}
	var candidates []harness.Candidate
	for _, kind := range []string{dealsByGenre, dealsByLow} {
		queries := drawDeals(r.Rng(61), l.view, kind == dealsByLow)
		for _, q := range queries {
			if err := l.checkDeals(ctx, q); err != nil {
				return report.Section{}, fmt.Errorf("%+v: %w", q, err)
			}
		}
		candidates = append(candidates,
			harness.Repeat(listOurs+kind, harness.Pick(r, 128, 2000), func(i int) error { l.ourDeals(queries[i%listQueries]); return nil }),
			harness.Repeat(listSQLite+kind, harness.Pick(r, 64, 500), func(i int) error {
				_, _, err := l.other.Deals(ctx, queries[i%listQueries], dealsPage)
				return err
			}))
	}
	results, err := r.Rounds(ctx, candidates...)
	if err != nil {
		return report.Section{}, err
	}
	goal := func(kind string) report.Goal {
		return report.Goal{What: "p50 of SQLite / ours: " + kind, Limit: 20, Stretch: 200, Unit: "x", Figure: results.Ratio(harness.P50, listSQLite+kind, listOurs+kind)}
	}
	return report.Section{
		Title: "Deals against SQLite",
		Intro: fmt.Sprintf("The %d best deals by discount and the exact total, in one of four regions, with four filters; %d cards, %d different queries of each kind. Our side is package deals, from the parsed query to the items. "+
			"SQLite has a row for each price with everything that is filtered, among it the low that the price meets, and a partial index of the discounted rows in the order of the page that has all columns of both queries "+
			"(the page, the total), but for genres, which are a table of their own. Both sides were checked to give the same cards in the same order, and the same totals.", dealsPage, l.view.Len(), listQueries),
		Goals:  []report.Goal{goal(dealsByGenre), goal(dealsByLow)},
		Tables: []report.Table{report.Compare("Ratios are to ours with a genre.", results, listOurs+dealsByGenre, harness.P50, harness.P99, harness.CPUCall, harness.Allocs)},
	}, nil
}

// measureBrowse compares the list of all cards with SQLite.
func measureBrowse(ctx context.Context, r *harness.Run) (report.Section, error) {
	l, err := newLists(ctx, r)
	if err != nil {
		return report.Section{}, err
	}
	var candidates []harness.Candidate
	for _, kind := range []string{browseAll, browseSome} {
		queries := drawBrowses(r.Rng(71), l.view, kind == browseSome)
		for _, q := range queries {
			if err := l.checkBrowse(ctx, q); err != nil {
				return report.Section{}, fmt.Errorf("%+v: %w", q, err)
			}
		}
		candidates = append(candidates,
			harness.Repeat(listOurs+kind, harness.Pick(r, 64, 500), func(i int) error { l.ourBrowse(queries[i%len(queries)]); return nil }),
			harness.Repeat(listSQLite+kind, harness.Pick(r, 16, 64), func(i int) error {
				q := queries[i%len(queries)]
				_, _, _, err := l.other.Browse(ctx, q.genre, q.since, browsePage)
				return err
			}))
	}
	results, err := r.Rounds(ctx, candidates...)
	if err != nil {
		return report.Section{}, err
	}
	goal := func(kind string) report.Goal {
		return report.Goal{What: "p50 of SQLite / ours: " + kind, Limit: 10, Stretch: 50, Unit: "x", Figure: results.Ratio(harness.P50, listSQLite+kind, listOurs+kind)}
	}
	return report.Section{
		Title: "Browse with facets against SQLite",
		Intro: fmt.Sprintf("The first %d cards by id, the exact total, and the counts of types, genres and publishers; %d cards. Our side is package browse, from the parsed query to the cards and counts. "+
			"SQLite counts with GROUP BY over indexes, with filters over a materialized table of the chosen cards. Both sides were checked to give the same cards, totals and counts.", browsePage, l.view.Len()),
		Goals:  []report.Goal{goal(browseAll), goal(browseSome)},
		Tables: []report.Table{report.Compare("Ratios are to ours over all cards.", results, listOurs+browseAll, harness.P50, harness.P99, harness.CPUCall, harness.Allocs)},
	}, nil
}

// listSubject has the cards of a view, and the same in SQLite.
type listSubject struct {
	view  *index.View
	now   int64
	other *alternatives.SQLiteCards
}

func newLists(ctx context.Context, r *harness.Run) (*listSubject, error) {
	c, err := pastCatalog(ctx, r)
	if err != nil {
		return nil, err
	}
	r.Logf("  filling SQLite")
	l := &listSubject{view: c.View, now: harness.Now.UnixMilli()}
	l.other, err = alternatives.StartSQLiteCards(ctx, r, l.view, l.now)
	return l, err
}

// drawDeals draws queries of one kind.
func drawDeals(rng *rand.Rand, v *index.View, low bool) []alternatives.DealQuery {
	genres, types := v.Columns().Genres.Values, []catalog.Type{catalog.Game, catalog.Game, catalog.EditionType, catalog.SeasonPass}
	var list []alternatives.DealQuery
	for range listQueries {
		q := alternatives.DealQuery{
			Region: v.Active()[rng.IntN(len(v.Active()))].No, MinPercent: 20 + 5*rng.IntN(7), MaxCents: 1000 + 100*rng.Int64N(30),
			Type: types[rng.IntN(len(types))].String(), Genre: genres[rng.IntN(len(genres))],
		}
		if low {
			q.Genre, q.Low = "", history.Year
		}
		list = append(list, q)
	}
	return list
}

// dealsQuery returns the query of package deals.
func dealsQuery(q alternatives.DealQuery) deals.Query {
	kind, err := catalog.ParseType(q.Type)
	if err != nil {
		panic(err) // they come from types
	}
	query := deals.Query{
		Regions: []uint8{q.Region}, Cards: lists.Filter{Types: []catalog.Type{kind}}, MinDiscount: q.MinPercent, MaxDiscount: 100,
		MaxPrice: money.None, MaxUSD: money.Amount(q.MaxCents), Low: q.Low, NearLow: deals.Anywhere, Free: deals.Any, Limit: dealsPage,
	}
	if q.Genre != "" {
		query.Cards.Genres = []string{q.Genre}
	}
	return query
}

// dealsPath returns the path of the same query in the API.
func dealsPath(v *index.View, q alternatives.DealQuery) string {
	values := url.Values{
		"regions": {v.Region(q.Region).Alpha2}, "types": {q.Type}, "genres": {q.Genre},
		"minDiscount": {strconv.Itoa(q.MinPercent)}, "maxUsd": {fmt.Sprintf("%.2f", float64(q.MaxCents)/100)},
	}
	return "/catalog/deals?" + values.Encode()
}

func (l *listSubject) ourDeals(q alternatives.DealQuery) deals.Page {
	return deals.Find(l.view, dealsQuery(q), l.now)
}

// checkDeals compares both sides.
func (l *listSubject) checkDeals(ctx context.Context, q alternatives.DealQuery) error {
	ours := l.ourDeals(q)
	page, total, err := l.other.Deals(ctx, q, dealsPage)
	if err != nil {
		return err
	}
	if ours.Total != total || len(ours.Items) != len(page) {
		return fmt.Errorf("%d deals, %d in SQLite", ours.Total, total)
	}
	for i, it := range ours.Items {
		if err := sameCard(it.Card, page[i]); err != nil {
			return fmt.Errorf("deal %d: %w", i, err)
		}
	}
	return nil
}

func sameCard(c index.Card, other alternatives.Listed) error {
	if int64(c.Platform()) != other.Platform || c.ID() != other.ID {
		return fmt.Errorf("%s %s, in SQLite %+v", c.Platform(), c.ID(), other)
	}
	return nil
}

// browseFilter selects all cards, or those of a genre that were released since a date.
type browseFilter struct {
	genre string
	since int32
}

func drawBrowses(rng *rand.Rand, v *index.View, some bool) []browseFilter {
	if !some {
		return []browseFilter{{}}
	}
	genres := v.Columns().Genres.Values
	var list []browseFilter
	for range listQueries {
		list = append(list, browseFilter{genres[rng.IntN(len(genres))], int32(20120101 + 10000*rng.IntN(12))})
	}
	return list
}

func (l *listSubject) ourBrowse(f browseFilter) browse.Page {
	q := browse.Query{Facets: alternatives.ListFacets, Limit: browsePage, ReleasedFrom: f.since}
	if f.genre != "" {
		q.Cards.Genres = []string{f.genre}
	}
	return browse.Find(l.view, q, l.now)
}

// checkBrowse compares both sides.
func (l *listSubject) checkBrowse(ctx context.Context, f browseFilter) error {
	ours := l.ourBrowse(f)
	page, total, facets, err := l.other.Browse(ctx, f.genre, f.since, browsePage)
	if err != nil {
		return err
	}
	if ours.Total != total || len(ours.Cards) != len(page) || len(page) == 0 {
		return fmt.Errorf("%d cards, %d in SQLite", ours.Total, total)
	}
	for i, c := range ours.Cards {
		if err := sameCard(c, page[i]); err != nil {
			return fmt.Errorf("card %d: %w", i, err)
		}
	}
	for i, counts := range ours.Facets {
		if len(counts.Values)+counts.More != len(facets[i]) {
			return errors.New("other values in SQLite")
		}
		for _, value := range counts.Values {
			if facets[i][value.Value] != value.Count {
				return fmt.Errorf("%d cards with %s, in SQLite %d", value.Count, value.Value, facets[i][value.Value])
			}
		}
	}
	return nil
}

// The sides of deals over HTTP.
const (
	dealsBare = "bare handler"
	dealsHTTP = "deals"
	dealsGzip = "deals, gzip"
)

// measureDealsHTTP compares deals over HTTP with a handler that writes an answer of the
// same size.
func measureDealsHTTP(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, err := pastCatalog(ctx, r)
	if err != nil {
		return report.Section{}, err
	}
	ours, err := r.Serve(ctx, c)
	if err != nil {
		return report.Section{}, err
	}
	defer ours.Stop()
	var paths []string
	for _, q := range drawDeals(r.Rng(61), c.View, false) {
		paths = append(paths, apiPath+dealsPath(c.View, q))
	}
	requests := getRequests(paths, ours.Keys)
	body, header, size, err := middleAnswer(ctx, requests, ours.URL)
	if err != nil {
		return report.Section{}, err
	}
	bare, err := startBare(r, c, "bare-deals", body, header)
	if err != nil {
		return report.Section{}, err
	}
	defer bare.Stop()
	gzipped := make([]harness.Request, len(requests))
	for i := range requests {
		gzipped[i] = requests[i].WithHeader("Accept-Encoding: gzip")
	}
	var candidates []harness.Candidate
	for _, side := range []struct {
		name, url string
		process   *harness.Process
		requests  []harness.Request
	}{{dealsBare, bare.URL, bare.Process, requests}, {dealsHTTP, ours.URL, ours.Process, requests}, {dealsGzip, ours.URL, ours.Process, gzipped}} {
		candidates = append(candidates, r.Wrk(ctx, side.name, harness.Load{URL: side.url, Server: side.process, Connections: endpointConnections, Requests: side.requests}))
	}
	results, err := r.Rounds(ctx, candidates...)
	if err != nil {
		return report.Section{}, err
	}
	return report.Section{
		Title: "Deals over HTTP",
		Intro: fmt.Sprintf("The %d best deals of a region with four filters: region, type, genre, discount, dollars; %d cards, %d connections, %d different queries, answers of %.0f bytes on average. The bare handler is net/http in a process of its own, "+
			"with the same catalog in memory, that writes the answer of middle length (%d bytes) with its headers.", dealsPage, c.View.Len(), endpointConnections, len(requests), size, len(body)),
		Goals:  []report.Goal{{What: "CPU against a bare handler", AtMost: true, Limit: 8, Stretch: 5, Unit: "x", Figure: results.Ratio(harness.CPU, dealsHTTP, dealsBare)}},
		Tables: []report.Table{report.Compare("Ratios are to the bare handler.", results, dealsBare, harness.CPU, harness.Rate, harness.P50, harness.P99, harness.Bytes)},
	}, nil
}

// middleAnswer returns the answer of middle length with its headers, and the average
// length of all.
func middleAnswer(ctx context.Context, requests []harness.Request, base string) (body []byte, header http.Header, size float64, err error) {
	type answer struct {
		body   []byte
		header http.Header
	}
	var answers []answer
	for _, request := range requests {
		a := answer{}
		if a.body, a.header, err = request.Fetch(ctx, base); err != nil {
			return nil, nil, 0, err
		}
		answers = append(answers, a)
		size += float64(len(a.body)) / float64(len(requests))
	}
	slices.SortFunc(answers, func(a, b answer) int { return cmp.Compare(len(a.body), len(b.body)) })
	middle := answers[len(answers)/2]
	for _, name := range []string{"Content-Length", "Date"} { // net/http adds them
		middle.header.Del(name)
	}
	return middle.body, middle.header, size, nil
}

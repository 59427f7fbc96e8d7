package subjects

import (
	"context"
	"encoding/json"
	"fmt"

	"gamedex/bench/harness"
	"gamedex/bench/report"
)

const (
	resolveSearches = "search, a title"
	resolveTitles   = "resolve, 1,000 titles"
	resolvedItems   = 1000
)

// resolveWords are added to titles, in turn.
var resolveWords = []string{"", " PS4 & PS5", "", " Steam Key GLOBAL", "", " Collector's Edition", "", ""}

// measureResolve compares one request for 1,000 titles with searches for them.
func measureResolve(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, server, err := r.ServeSample(ctx)
	if err != nil {
		return report.Section{}, err
	}
	defer server.Stop()
	rng := r.Rng(81)
	var titles []string
	for i := range 4 * resolvedItems {
		titles = append(titles, c.View.Card(rng.IntN(c.View.Len())).Title()+resolveWords[i%len(resolveWords)])
	}
	var resolves []harness.Request
	for i := range 16 {
		from := i * resolvedItems % len(titles)
		body, err := json.Marshal(map[string]any{"items": titles[from : from+resolvedItems]})
		if err != nil {
			return report.Section{}, err
		}
		resolves = append(resolves, harness.Request{Method: "POST", Path: apiPath + "/catalog/resolve", Body: string(body),
			Header: []string{"Content-Type: application/json", "Authorization: Bearer " + server.Keys[i%len(server.Keys)]}})
	}
	var candidates []harness.Candidate
	for _, side := range []struct {
		name     string
		requests []harness.Request
	}{{resolveSearches, getRequests(searchPaths(apiPath+"/catalog/search", titles), server.Keys)}, {resolveTitles, resolves}} {
		candidates = append(candidates, r.Wrk(ctx, side.name, harness.Load{URL: server.URL, Server: server.Process, Connections: 1, Requests: side.requests}))
	}
	results, err := r.Rounds(ctx, candidates...)
	if err != nil {
		return report.Section{}, err
	}
	f := results.Ratio(harness.CPU, resolveTitles, resolveSearches)
	return report.Section{
		Title: "Resolving titles to ids",
		Intro: fmt.Sprintf("%d titles of random cards, %d cards of both stores, over one connection: three of eight have words of a shop or an edition. "+
			"The same titles are searched for, ten results each.", len(titles), c.View.Len()),
		Goals: []report.Goal{{What: "CPU of 1,000 titles in one request against 1,000 searches", AtMost: true, Limit: 0.6, Unit: "x",
			Figure: harness.Figure{Median: f.Median / resolvedItems, Low: f.Low / resolvedItems, High: f.High / resolvedItems}}},
		Tables: []report.Table{report.Compare("", results, resolveSearches, harness.CPU, harness.Rate, harness.P50)},
	}, nil
}

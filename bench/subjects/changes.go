package subjects

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"gamedex/bench/harness"
	"gamedex/bench/report"
)

const (
	changesAll      = "all prices"
	changesAllGzip  = "all prices, gzip"
	changesNone     = "changedSince, none changed"
	changesNoneGzip = "changedSince, none changed, gzip"
)

// measureChanges measures what a client that polls costs while nothing changes.
func measureChanges(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, server, err := r.ServeSample(ctx)
	if err != nil {
		return report.Section{}, err
	}
	defer server.Stop()
	sets := c.RandomIDs(r.Rng(71), harness.Pick(r, 16, 64), bulkIDs)
	bytes := map[string]float64{}
	var candidates []harness.Candidate
	for _, side := range []struct {
		name, encoding string
		since          bool
	}{{changesAll, "identity", false}, {changesAllGzip, "gzip", false}, {changesNone, "identity", true}, {changesNoneGzip, "gzip", true}} {
		load := harness.Load{URL: server.URL, Connections: 8, Server: server.Process}
		for n, ids := range sets {
			key := "Authorization: Bearer " + server.Keys[n%len(server.Keys)]
			body := harness.PricesBody(ids, nil)
			if side.since {
				if body, err = sinceNow(ctx, server.URL, key, body); err != nil {
					return report.Section{}, err
				}
			}
			request := pricesRequest(body).WithHeader(key).WithHeader("Accept-Encoding: " + side.encoding)
			answer, _, err := request.Fetch(ctx, server.URL)
			if err != nil {
				return report.Section{}, err
			}
			bytes[side.name] += float64(len(answer))
			load.Requests = append(load.Requests, request)
		}
		candidates = append(candidates, r.Wrk(ctx, side.name, load))
	}
	results, err := r.Rounds(ctx, candidates...)
	if err != nil {
		return report.Section{}, err
	}
	goal := func(what string, limit float64, f harness.Figure) report.Goal {
		return report.Goal{What: what + " against the whole answer", AtMost: true, Limit: limit, Unit: "x", Figure: f}
	}
	return report.Section{
		Title: "Polling bulk prices with changedSince",
		Intro: fmt.Sprintf("POST of %d random ids, 4 regions, %d different sets, %d cards, over 8 connections. No game has changed since the cursor.", bulkIDs, len(sets), c.View.Len()),
		Goals: []report.Goal{
			goal("bytes", 0.01, harness.Exactly(bytes[changesNone]/bytes[changesAll])),
			goal("CPU", 0.1, results.Ratio(harness.CPU, changesNone, changesAll)),
			goal("CPU, gzip,", 0.1, results.Ratio(harness.CPU, changesNoneGzip, changesAllGzip)),
		},
		Tables: []report.Table{report.Compare("", results, changesAll, harness.CPU, harness.Rate, harness.P50)},
	}, nil
}

// sinceNow returns the body with the cursor of its answer.
func sinceNow(ctx context.Context, url, key, body string) (string, error) {
	answer, _, err := pricesRequest(body).WithHeader(key).Fetch(ctx, url)
	if err != nil {
		return "", err
	}
	cursor, err := cursorOf(answer)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(body, "}") + `,"changedSince":"` + cursor + `"}`, nil
}

// cursorOf returns the cursor of an answer.
func cursorOf(answer []byte) (string, error) {
	var of struct{ Meta struct{ Cursor string } }
	err := json.Unmarshal(answer, &of)
	return of.Meta.Cursor, err
}

// pricesRequest returns a request for bulk prices without a key.
func pricesRequest(body string) harness.Request {
	return harness.Request{Method: "POST", Path: apiPath + "/catalog/prices", Body: body, Header: []string{"Content-Type: application/json"}}
}

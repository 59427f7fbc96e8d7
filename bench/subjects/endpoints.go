package subjects

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"

	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/bench/sample"
	"gamedex/internal/index"
)

const (
	endpointConnections = 16
	endpointRequests    = 4096 // different ones of each kind

	endpointBare    = "bare handler"
	endpointSearch  = "search"
	endpointSuggest = "suggest"
	endpointCard    = "card"
	endpointBleve   = "bleve, search"

	apiPath = "/api/v1"
)

// measureEndpoints compares small answers over HTTP with those of net/http and a
// handler that does nothing, and search with a server that uses bleve.
func measureEndpoints(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, ours, err := r.ServeSample(ctx)
	if err != nil {
		return report.Section{}, err
	}
	defer ours.Stop()
	bare, err := startBare(r, c, "bare", []byte(`{"ok":true,"data":{"id":"7Q2M9XKD"}}`), jsonOnly)
	if err != nil {
		return report.Section{}, err
	}
	defer bare.Stop()
	bleve, err := r.StartServer("bleve", c.Snapshots(), filepath.Join(r.Dir, "bleve-server"))
	if err != nil {
		return report.Section{}, err
	}
	defer bleve.Stop()
	rng := r.Rng(21)
	queries := sample.TypedQueries(rng, c.View, endpointRequests)
	resultsShown, err := checkSearches(ctx, queries[:256], ours, bleve)
	if err != nil {
		return report.Section{}, fmt.Errorf("the sides do not answer the same: %w", err)
	}
	searches := searchPaths(apiPath+"/catalog/search", queries)
	var candidates []harness.Candidate
	for _, side := range []struct {
		name, url string
		process   *harness.Process
		paths     []string
	}{
		{endpointBare, bare.URL, bare.Process, searches},
		{endpointSearch, ours.URL, ours.Process, searches},
		{endpointSuggest, ours.URL, ours.Process, searchPaths(apiPath+"/catalog/suggest", queries)},
		{endpointCard, ours.URL, ours.Process, cardPaths(rng, c.View)},
		{endpointBleve, bleve.URL, bleve.Process, searchPaths("/search", queries)},
	} {
		candidates = append(candidates, r.Wrk(ctx, side.name, harness.Load{
			URL: side.url, Server: side.process, Connections: endpointConnections, Requests: getRequests(side.paths, ours.Keys),
		}))
	}
	results, err := r.Rounds(ctx, candidates...)
	if err != nil {
		return report.Section{}, err
	}
	return endpointsSection(c.View.Len(), resultsShown, results), nil
}

// startBare starts a server that writes a body and headers; name is that of its
// files.
func startBare(r *harness.Run, c *harness.Catalog, name string, body []byte, header http.Header) (*harness.Server, error) {
	file := filepath.Join(r.Dir, name+".json")
	if err := os.WriteFile(file, body, 0o644); err != nil {
		return nil, err
	}
	text, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	headers := filepath.Join(r.Dir, name+"-headers.json")
	if err := os.WriteFile(headers, text, 0o644); err != nil {
		return nil, err
	}
	return r.StartServer("bare", file, headers, c.Snapshots())
}

// jsonOnly are the headers of a bare handler.
var jsonOnly = http.Header{"Content-Type": {"application/json"}}

// getRequests returns a request for each path, with the keys in turn.
func getRequests(paths, keys []string) []harness.Request {
	var list []harness.Request
	for i, path := range paths {
		list = append(list, harness.Request{Method: "GET", Path: path, Header: []string{"Authorization: Bearer " + keys[i%len(keys)]}})
	}
	return list
}

func searchPaths(path string, queries []string) []string {
	var list []string
	for _, q := range queries {
		list = append(list, path+"?q="+url.QueryEscape(q))
	}
	return list
}

// cardPaths returns the paths of random cards of both stores.
func cardPaths(rng *rand.Rand, v *index.View) []string {
	var list []string
	for range endpointRequests {
		list = append(list, apiPath+harness.CardPath(v.Card(rng.IntN(v.Len()))))
	}
	return list
}

// maxByAcronym is the highest share of queries for which we may find more than bleve:
// it does not know that "veg" may be a title's initials.
const maxByAcronym = 0.05

// checkSearches compares our results with bleve's. Both must find the same number of
// cards, but for those that we find by their acronyms, and show a card in the same way.
// They may show different cards of many, in any order. It returns the average number of
// results shown.
func checkSearches(ctx context.Context, queries []string, ours *harness.Service, bleve *harness.Server) (float64, error) {
	shown, more := 0, 0
	for _, q := range queries {
		a, err := fetchResults(ctx, ours.URL, searchPaths(apiPath+"/catalog/search", []string{q}), ours.Keys)
		if err != nil {
			return 0, err
		}
		b, err := fetchResults(ctx, bleve.URL, searchPaths("/search", []string{q}), ours.Keys)
		if err != nil {
			return 0, err
		}
		if err := a.compare(b); err != nil {
			return 0, fmt.Errorf("q=%q: %w", q, err)
		}
		if a.Total > b.Total {
			more++
		}
		shown += len(a.Results)
	}
	if share := float64(more) / float64(len(queries)); share > maxByAcronym {
		return 0, fmt.Errorf("we find more cards for %.3f of the queries; at most %.2f of them may be acronyms", share, maxByAcronym)
	}
	return float64(shown) / float64(len(queries)), nil
}

// searchResults are the members of an answer to a search that are compared.
type searchResults struct {
	Results []map[string]any
	Total   int
}

func fetchResults(ctx context.Context, base string, paths, keys []string) (searchResults, error) {
	request := getRequests(paths, keys)[0]
	body, _, err := request.Fetch(ctx, base)
	if err != nil {
		return searchResults{}, err
	}
	var answer struct{ Data searchResults }
	if err := json.Unmarshal(body, &answer); err != nil {
		return searchResults{}, fmt.Errorf("%s: %w", request.Path, err)
	}
	return answer.Data, nil
}

// compare ignores titles: we show the one in the language of the query.
func (s searchResults) compare(bleve searchResults) error {
	if s.Total < bleve.Total || s.Total == bleve.Total && len(s.Results) != len(bleve.Results) || s.Total == 0 {
		return fmt.Errorf("%d results in total, bleve %d", s.Total, bleve.Total)
	}
	byID := map[any]map[string]any{}
	for _, r := range s.Results {
		delete(r, "title")
		byID[r["id"]] = r
	}
	for _, theirs := range bleve.Results {
		delete(theirs, "title")
		if ours := byID[theirs["id"]]; ours != nil && !reflect.DeepEqual(ours, theirs) {
			return fmt.Errorf("we show %v, bleve's handler %v", ours, theirs)
		}
	}
	return nil
}

func endpointsSection(cards int, resultsShown float64, results *harness.Results) report.Section {
	cpu := func(name string) harness.Figure { return results.Ratio(harness.CPU, name, endpointBare) }
	return report.Section{
		Title: "Search, suggest and card over HTTP",
		Intro: fmt.Sprintf("%d cards, %d connections, %d different queries: half of them two words of a title, "+
			"half the first two to five letters of a word. suggest gets the same queries; cards are random. The bare handler is net/http in a process of its own, "+
			"with the same catalog in memory, that writes 36 bytes. bleve has all titles in one segment, mapped into memory, and the same rules (all words, the last one as a prefix, whole words first). "+
			"It finds as many cards as we do, except by acronyms, and its handler encodes the same ten cards, prepared as structs, with encoding/json. "+
			"An answer has %.1f results on average.", cards, endpointConnections, endpointRequests, resultsShown),
		Goals: []report.Goal{
			{What: "search: CPU against a bare handler", AtMost: true, Limit: 8, Stretch: 5, Unit: "x", Figure: cpu(endpointSearch)},
			{What: "suggest: CPU against a bare handler", AtMost: true, Limit: 4, Stretch: 2.5, Unit: "x", Figure: cpu(endpointSuggest)},
			{What: "card: CPU against a bare handler", AtMost: true, Limit: 2.5, Stretch: 1.8, Unit: "x", Figure: cpu(endpointCard)},
			{What: "search: requests/s against bleve", Limit: 10, Stretch: 20, Unit: "x", Figure: results.Ratio(harness.Rate, endpointSearch, endpointBleve)},
		},
		Tried: "The stack around a handler (below) causes about half of what a card costs more than the bare handler.",
		Tables: []report.Table{report.Compare("Ratios are to the bare handler.", results, endpointBare,
			harness.CPU, harness.Rate, harness.P50, harness.P99, harness.Bytes)},
		Notes: []string{fmt.Sprintf("bleve's handler uses %s times the CPU of ours. It ranks by bleve's score alone, not in the order of the contract "+
			"(exact title, its prefix, words in order), finds no typos and folds no accents, and treats Roman and Arabic numerals as different words.",
			report.Figure(results.Ratio(harness.CPU, endpointBleve, endpointSearch)))},
	}
}

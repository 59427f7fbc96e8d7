package subjects

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"gamedex/bench/harness"
	"gamedex/bench/report"
)

const (
	stackConnections = 32
	stackBare        = "bare handler, the same body"
	stackHeaders     = "bare handler, the same body and headers"
	stackHandlers    = "the stack, account/me"
	stackProgram     = "the whole program, account/me"
	stackPath        = apiPath + "/account/me"
)

// stackSide is a server of the comparison.
type stackSide struct {
	name, url string
	process   *harness.Process
	keys      []string
}

// measureStack compares everything around a handler with net/http alone.
func measureStack(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, err := r.SampleCatalog(ctx)
	if err != nil {
		return report.Section{}, err
	}
	stack, err := r.StartServer("stack", c.Snapshots())
	if err != nil {
		return report.Section{}, err
	}
	defer stack.Stop()
	body, header, err := getRequests([]string{stackPath}, stack.Keys)[0].Fetch(ctx, stack.URL)
	if err != nil {
		return report.Section{}, err
	}
	bare, err := startBare(r, c, "bare", body, jsonOnly)
	if err != nil {
		return report.Section{}, err
	}
	defer bare.Stop()
	header.Del("Date") // net/http writes these two
	header.Del("Content-Length")
	headers, err := startBare(r, c, "headers", body, header)
	if err != nil {
		return report.Section{}, err
	}
	defer headers.Stop()
	program, err := r.Serve(ctx, c)
	if err != nil {
		return report.Section{}, err
	}
	defer program.Stop()
	sides := []stackSide{
		{stackBare, bare.URL, bare.Process, stack.Keys},
		{stackHeaders, headers.URL, headers.Process, stack.Keys},
		{stackHandlers, stack.URL, stack.Process, stack.Keys},
		{stackProgram, program.URL, program.Process, program.Keys},
	}
	if err := checkStack(ctx, sides); err != nil {
		return report.Section{}, fmt.Errorf("the sides do not answer the same: %w", err)
	}
	var candidates []harness.Candidate
	for _, side := range sides {
		candidates = append(candidates, r.Wrk(ctx, side.name, harness.Load{
			URL: side.url, Server: side.process, Connections: stackConnections,
			Requests: getRequests(slices.Repeat([]string{stackPath}, len(side.keys)), side.keys),
		}))
	}
	results, err := r.Rounds(ctx, candidates...)
	if err != nil {
		return report.Section{}, err
	}
	return stackSection(len(body), results), nil
}

// checkStack compares the answers without what depends on key and time.
func checkStack(ctx context.Context, sides []stackSide) error {
	var want string
	for _, side := range sides {
		body, _, err := getRequests([]string{stackPath}, side.keys)[0].Fetch(ctx, side.url)
		if err != nil {
			return err
		}
		var answer struct{ Data, Meta map[string]any }
		if err := json.Unmarshal(body, &answer); err != nil {
			return err
		}
		got := fmt.Sprint(answer.Data["name"], answer.Data["status"], answer.Data["permissions"], len(answer.Data), len(answer.Meta))
		if want == "" {
			want = got
		}
		if got != want {
			return fmt.Errorf("%s has %s, want %s", side.name, got, want)
		}
	}
	return nil
}

func stackSection(body int, results *harness.Results) report.Section {
	return report.Section{
		Title: "The stack around a handler",
		Intro: fmt.Sprintf("GET %s, %d connections. The stack is everything around a handler: routes, request ids, panic guard, metrics, keys, both rate limits, usage and headers, "+
			"without a log, set up as the program does. It runs in a process of the same binary as the bare handler, which has the same catalog in memory and writes the same %d bytes. "+
			"account/me is the endpoint with a key and the smallest body that is not constant; making that body (the record of a key, with five timestamps) counts as ours. "+
			"The bare handler with the same headers puts the stack's headers, with constant values, into the header map of net/http: what they cost without us.",
			stackPath, stackConnections, body),
		Goals: []report.Goal{
			{What: "CPU against a bare handler", AtMost: true, Limit: 1.35, Stretch: 1.15, Unit: "x", Figure: results.Ratio(harness.CPU, stackHandlers, stackBare)},
			{What: "CPU against a bare handler with the same headers", AtMost: true, Limit: 1.35, Stretch: 1.15, Unit: "x", Figure: results.Ratio(harness.CPU, stackHandlers, stackHeaders)},
		},
		Tried: "Ten more header lines alone add a quarter to a third to the cost of a bare handler. Writing header lines directly into the connection's buffer met the first goal, but " +
			"depended on how net/http writes answers, and was removed (decision 22).",
		Tables: []report.Table{report.Compare("Ratios are to the bare handler.", results, stackBare,
			harness.CPU, harness.Rate, harness.P50, harness.P99, harness.Bytes)},
	}
}

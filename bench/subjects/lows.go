package subjects

import (
	"context"
	"fmt"
	"net/http"

	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/snapshot"
)

const (
	lowsPlain       = "1000 ids"
	lowsIncluded    = "1000 ids, include=lows"
	lowsPlainGzip   = "1000 ids, gzip"
	lowsIncludeGzip = "1000 ids, include=lows, gzip"

	perByte harness.Metric = "CPU ns/byte" // of the plain answer
)

// measureLows measures what lows cost in bulk prices, and how many bytes they have in a
// snapshot.
func measureLows(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, err := pastCatalog(ctx, r)
	if err != nil {
		return report.Section{}, err
	}
	h, err := harness.NewHandler(ctx, c.View)
	if err != nil {
		return report.Section{}, err
	}
	sets := c.RandomIDs(r.Rng(51), harness.Pick(r, 8, 32), bulkIDs)
	var candidates []harness.Candidate
	for _, side := range []struct{ name, include, encoding string }{
		{lowsPlain, "", ""}, {lowsIncluded, "lows", ""}, {lowsPlainGzip, "", "gzip"}, {lowsIncludeGzip, "lows", "gzip"},
	} {
		candidate, err := lowsCandidate(r, h, sets, side.name, side.include, side.encoding)
		if err != nil {
			return report.Section{}, err
		}
		candidates = append(candidates, candidate)
	}
	results, err := r.Rounds(ctx, candidates...)
	if err != nil {
		return report.Section{}, err
	}
	b, err := harness.ReadSnapshot(ctx, c.Snapshots())
	if err != nil {
		return report.Section{}, err
	}
	rows := changedRows(c.View)
	sizes, size, err := lowsSections(b.Lows, rows)
	if err != nil {
		return report.Section{}, err
	}
	return report.Section{
		Title: "Lows in bulk prices and in the snapshot",
		Intro: fmt.Sprintf("%d random ids in four regions, out of %d cards whose prices have %d steps each; %d sets of ids. The whole chain of handlers in this process, with the answer discarded. "+
			"A byte is one of the plain answer.", bulkIDs, c.View.Len(), historySteps, len(sets)),
		Goals: []report.Goal{
			{What: "CPU per byte of answer, with lows / without", AtMost: true, Limit: 1.2, Stretch: 1, Unit: "x", Figure: results.Ratio(perByte, lowsIncluded, lowsPlain)},
			{What: "bytes of lows for a region price that has changed", AtMost: true, Limit: 24, Stretch: 16, Figure: harness.Exactly(float64(size) / float64(rows))},
		},
		Tables: []report.Table{report.Compare("", results, lowsPlain, perByte, harness.CPUCall, harness.P50, harness.Bytes), sizes},
	}, nil
}

// lowsCandidate measures requests for the sets of ids.
func lowsCandidate(r *harness.Run, h *harness.Handler, sets [][]string, name, include, encoding string) (harness.Candidate, error) {
	var requests []*http.Request
	bytes := 0
	for _, ids := range sets {
		request := h.Prices(ids, include)
		answer, err := h.Answer(request)
		if err != nil {
			return harness.Candidate{}, err
		}
		bytes += len(answer)
		if encoding != "" {
			request.Header.Set("Accept-Encoding", encoding)
		}
		requests = append(requests, request)
	}
	average := float64(bytes) / float64(len(sets))
	var sink harness.ResponseWriter
	calls := harness.Repeat(name, harness.Pick(r, 32, 160), func(i int) error { return h.Do(requests[i%len(requests)], &sink) })
	return harness.Candidate{Name: name, Round: func(ctx context.Context) (harness.Values, error) {
		v, err := calls.Round(ctx)
		if err == nil {
			v[harness.Bytes], v[perByte] = average, v[harness.CPUCall]*1000/average
		}
		return v, err
	}}, nil
}

// changedRows returns how many prices of a view have changed once.
func changedRows(v *index.View) (n int) {
	var lows history.Summary
	for i := range v.Len() {
		rows := v.Card(i).Rows()
		for j := range rows.Len() {
			row := rows.At(j)
			if row.Lows(v.IndexBuiltAt, &lows) && int64(lows.WatchedSince) != row.PricedAt {
				n++
			}
		}
	}
	return n
}

// lowsSections lists the sections of lows blobs, and returns the bytes of all blobs.
func lowsSections(blobs [][]byte, rows int) (t report.Table, size int, err error) {
	t = report.Table{Caption: "Bytes by section of the lows, in all regions:", Head: []string{"section", "bytes", "per price that has changed"}}
	var names []string
	sizes := map[string]int{}
	for _, blob := range blobs {
		f, err := snapshot.Open(blob, "lows", index.Formats())
		if err != nil {
			return t, 0, err
		}
		names, size = f.Names(), size+len(blob)
		for _, name := range names {
			body, err := f.Section(name)
			if err != nil {
				return t, 0, err
			}
			sizes[name] += len(body)
		}
	}
	for _, name := range names {
		t.Rows = append(t.Rows, []string{name, fmt.Sprint(sizes[name]), fmt.Sprintf("%.2f", float64(sizes[name])/float64(rows))})
	}
	return t, size, nil
}

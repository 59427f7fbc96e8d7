package subjects

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/internal/api/bulk"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/snapshot"
)

const (
	optionNone = "no options"
	optionLows = "include=lows"

	perByte harness.Metric = "CPU ns/byte" // of the answer before gzip
)

// measureOptions measures what the options of bulk prices cost for a byte of the answer, and how many
// bytes lows have in a snapshot.
func measureOptions(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, err := pastCatalog(ctx, r)
	if err != nil {
		return report.Section{}, err
	}
	h, err := harness.NewHandlerCaching(ctx, c.View, 0) // items with options are not kept, so that the plain ones must not be
	if err != nil {
		return report.Section{}, err
	}
	sets := c.RandomIDs(r.Rng(51), harness.Pick(r, 8, 32), bulkIDs)
	since, err := cursorBefore(h, sets[0])
	if err != nil {
		return report.Section{}, err
	}
	var candidates []harness.Candidate
	var goals []report.Goal
	for _, side := range []struct {
		name     string
		options  harness.Options
		encoding string
	}{
		{optionNone, nil, ""},
		{optionLows, harness.Options{"include": "lows"}, ""},
		{"lang=tr", harness.Options{"lang": "tr"}, ""},
		{"currency=EUR", harness.Options{"currency": "EUR"}, ""},
		{"changedSince, all changed", harness.Options{"changedSince": since}, ""},
		{optionNone + ", gzip", nil, "gzip"},
		{optionLows + ", gzip", harness.Options{"include": "lows"}, "gzip"},
	} {
		candidate, err := optionCandidate(r, h, sets, side.name, side.options, side.encoding)
		if err != nil {
			return report.Section{}, err
		}
		candidates = append(candidates, candidate)
	}
	results, err := r.Rounds(ctx, candidates...)
	if err != nil {
		return report.Section{}, err
	}
	for _, name := range results.Names[1:5] {
		goals = append(goals, report.Goal{What: "CPU per byte of answer, " + name + " / " + optionNone, AtMost: true, Limit: 1.15, Stretch: 1, Unit: "x", Figure: results.Ratio(perByte, name, optionNone)})
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
		Title: "Options of bulk prices, and lows in the snapshot",
		Intro: fmt.Sprintf("%d random ids in four regions, out of %d cards whose prices have %d steps each; %d sets of ids. The whole chain of handlers in this process, "+
			"without a cache of items and with the answer discarded. A byte is one of the answer before gzip.", bulkIDs, c.View.Len(), historySteps, len(sets)),
		Goals: append(goals,
			report.Goal{What: "bytes of lows for a region price that has changed", AtMost: true, Limit: 24, Stretch: 16, Figure: harness.Exactly(float64(size) / float64(rows))},
		),
		Tried:  "In a profile of requests with lows, reading their records (about 16 bytes a row) takes 20 % of the time, and writing their text 15 %, a third of it timestamps. No single part stands out.",
		Tables: []report.Table{report.Compare("", results, optionNone, perByte, harness.CPUCall, harness.P50, harness.Bytes), sizes},
	}, nil
}

// cursorBefore returns a cursor since which all games have changed.
func cursorBefore(h *harness.Handler, ids []string) (string, error) {
	answer, err := h.Answer(h.Prices(ids, nil))
	if err != nil {
		return "", err
	}
	text, err := cursorOf(answer)
	if err != nil {
		return "", err
	}
	cursor, err := bulk.ParseCursor(text)
	if err != nil {
		return "", fmt.Errorf("%q: %w", text, err)
	}
	cursor.Seq = 0
	return string(cursor.Append(nil)), nil
}

// optionCandidate measures requests for the sets of ids.
func optionCandidate(r *harness.Run, h *harness.Handler, sets [][]string, name string, options harness.Options, encoding string) (harness.Candidate, error) {
	var requests []*http.Request
	size := 0
	for _, ids := range sets {
		request := h.Prices(ids, options)
		answer, err := h.Answer(request)
		if err != nil {
			return harness.Candidate{}, err
		}
		if items := bytes.Count(answer, []byte(`"regionsCount":`)); items != len(ids) {
			return harness.Candidate{}, fmt.Errorf("%s: %d items for %d ids", name, items, len(ids))
		}
		size += len(answer)
		if encoding != "" {
			request.Header.Set("Accept-Encoding", encoding)
		}
		requests = append(requests, request)
	}
	average := float64(size) / float64(len(sets))
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

package subjects

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/report"
)

const (
	encodeOurs      = "our handlers, every card encoded"
	encodeAgain     = "our handlers, items from the cache"
	encodeOneID     = "our handlers, one id"
	encodeStructs   = "encoding/json: structs built and marshalled"
	encodeFragments = "memcpy of the cards' fragments"
	encodeAnswer    = "memcpy of the finished answer"
)

// again is how many sets of ids are asked for again and again: their items fit the cache.
const again = 8

// encodeInput is what all candidates encode.
type encodeInput struct {
	catalog   *harness.Catalog
	handler   *harness.Handler // without a cache
	caching   *harness.Handler
	ids       [][]string
	requests  []*http.Request
	again     []*http.Request // to caching
	answers   [][]byte
	fragments [][][]byte // by set of ids: the JSON of each card
}

// measureEncode measures answers to bulk prices in this process. The sets of ids
// are random, so that cards are not in the processor's caches.
func measureEncode(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, err := r.SampleCatalog(ctx)
	if err != nil {
		return report.Section{}, err
	}
	in, err := newEncodeInput(ctx, c, c.RandomIDs(r.Rng(21), harness.Pick(r, 16, 64), bulkIDs), nil)
	if err != nil {
		return report.Section{}, err
	}
	var sink harness.ResponseWriter
	var out []byte
	n, sets, oneID := harness.Pick(r, 128, 512), len(in.ids), in.handler.Prices(in.ids[0][:1], nil)
	for i := range 40 * again { // until the cache has the items
		if err := in.caching.Do(in.again[i%again], &sink); err != nil {
			return report.Section{}, err
		}
	}
	results, err := r.Rounds(ctx,
		harness.Repeat(encodeAgain, n, func(i int) error { return in.caching.Do(in.again[i%again], &sink) }),
		harness.Repeat(encodeOurs, n, func(i int) error { return in.handler.Do(in.requests[i%sets], &sink) }),
		harness.Repeat(encodeOneID, n, func(int) error { return in.handler.Do(oneID, &sink) }),
		harness.Repeat(encodeStructs, n/4, func(i int) error {
			_, err := json.Marshal(alternatives.NewAnswer(in.catalog.View, in.ids[i%sets], harness.Now.UnixMilli()))
			return err
		}),
		harness.Repeat(encodeFragments, n, func(i int) error { out = in.copyFragments(out, i%sets); return nil }),
		harness.Repeat(encodeAnswer, n, func(i int) error { out = append(out[:0], in.answers[i%sets]...); return nil }),
	)
	if err != nil {
		return report.Section{}, err
	}
	return encodeSection(in, results), nil
}

// measureEncodeRegions measures the same in 60 regions.
func measureEncodeRegions(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, err := r.Catalog(ctx, harness.Shape{Cards: harness.Pick(r, 2_000, 10_000), Regions: 60})
	if err != nil {
		return report.Section{}, err
	}
	in, err := newEncodeInput(ctx, c, c.RandomIDs(r.Rng(22), 8, bulkIDs), harness.Options{"regions": "all"})
	if err != nil {
		return report.Section{}, err
	}
	var sink harness.ResponseWriter
	var out []byte
	n, sets := harness.Pick(r, 16, 32), len(in.ids)
	results, err := r.Rounds(ctx,
		harness.Repeat(encodeOurs, n, func(i int) error { return in.handler.Do(in.requests[i%sets], &sink) }),
		harness.Repeat(encodeAgain, n, func(i int) error { return in.caching.Do(in.again[i%sets], &sink) }),
		harness.Repeat(encodeFragments, n, func(i int) error { out = in.copyFragments(out, i%sets); return nil }),
		harness.Repeat(encodeAnswer, n, func(i int) error { out = append(out[:0], in.answers[i%sets]...); return nil }),
	)
	if err != nil {
		return report.Section{}, err
	}
	return report.Section{
		Title: "Encoding bulk prices in the process: 1000 ids, 60 regions",
		Intro: fmt.Sprintf("As above, with %d cards, %d sets of %d ids and answers of %d bytes, of which the cache holds few.", c.View.Len(), sets, bulkIDs, len(in.answers[0])),
		Goals: []report.Goal{
			{What: "p50 of ours, every card encoded / the fragments' memcpy", AtMost: true, Limit: 3, Stretch: 2, Unit: "x", Figure: results.Ratio(harness.P50, encodeOurs, encodeFragments)},
		},
		Tried:  "See the entry above. In a profile of requests for 60 regions, finding and formatting the price texts takes a third of the time, and copying bytes over a quarter.",
		Tables: []report.Table{report.Compare("", results, encodeOurs, harness.P50, harness.P99, harness.Allocs)},
	}, nil
}

// copyFragments replaces out by the fragments of a set of ids.
func (in *encodeInput) copyFragments(out []byte, set int) []byte {
	out = out[:0]
	for _, fragment := range in.fragments[set] {
		out = append(append(out, fragment...), ',')
	}
	return out
}

// newEncodeInput returns the input for sets of ids. Without options, our answers are compared with
// those of the structs; with them, only the numbers of items and rows are checked.
func newEncodeInput(ctx context.Context, c *harness.Catalog, sets [][]string, options harness.Options) (*encodeInput, error) {
	h, err := harness.NewHandlerCaching(ctx, c.View, 0)
	if err != nil {
		return nil, err
	}
	caching, err := harness.NewHandler(ctx, c.View)
	if err != nil {
		return nil, err
	}
	in := &encodeInput{catalog: c, handler: h, caching: caching, ids: sets}
	fragments, err := in.allFragments(options)
	if err != nil {
		return nil, err
	}
	for i, ids := range in.ids {
		in.requests, in.again = append(in.requests, h.Prices(ids, options)), append(in.again, caching.Prices(ids, options))
		answer, err := h.Answer(in.requests[i])
		if err != nil {
			return nil, err
		}
		if options == nil {
			err = in.check(answer, ids)
		} else {
			err = in.checkRows(answer, ids)
		}
		if err != nil {
			return nil, fmt.Errorf("set %d: %w", i, err)
		}
		var set [][]byte
		for _, id := range ids {
			set = append(set, fragments[id])
		}
		in.answers, in.fragments = append(in.answers, answer), append(in.fragments, set)
	}
	return in, nil
}

// allFragments returns the JSON of all cards by id. In memory they are in the order
// of the cards, so that those of a set are as far apart as in a table of fragments.
func (in *encodeInput) allFragments(options harness.Options) (map[string][]byte, error) {
	var all []string
	for i := range in.catalog.View.Len() {
		all = append(all, in.catalog.View.Card(i).ID())
	}
	fragments := make(map[string][]byte, len(all))
	for ids := range slices.Chunk(all, bulkIDs) {
		answer, err := in.handler.Answer(in.handler.Prices(ids, options))
		if err != nil {
			return nil, err
		}
		var body struct {
			Data struct{ Items []json.RawMessage }
		}
		if err := json.Unmarshal(answer, &body); err != nil {
			return nil, err
		}
		if len(body.Data.Items) != len(ids) {
			return nil, fmt.Errorf("%d items for %d cards", len(body.Data.Items), len(ids))
		}
		for i, item := range body.Data.Items {
			fragments[ids[i]] = item
		}
	}
	return fragments, nil
}

// check compares our answer with that of the structs.
func (in *encodeInput) check(answer []byte, ids []string) error {
	marshalled, err := json.Marshal(alternatives.NewAnswer(in.catalog.View, ids, harness.Now.UnixMilli()))
	if err != nil {
		return err
	}
	var ours, structs alternatives.Answer
	if err := json.Unmarshal(answer, &ours); err != nil {
		return err
	}
	if err := json.Unmarshal(marshalled, &structs); err != nil {
		return err
	}
	if len(ours.Data.NotFound)+len(structs.Data.NotFound) > 0 || !slices.Equal(ours.Regions, structs.Regions) {
		return fmt.Errorf("not found: %v and %v, regions %v and %v", ours.Data.NotFound, structs.Data.NotFound, ours.Regions, structs.Regions)
	}
	return alternatives.CompareItems(ours.Data.Items, structs.Data.Items)
}

// checkRows checks that an answer in all regions has every row of its cards.
func (in *encodeInput) checkRows(answer []byte, ids []string) error {
	var ours alternatives.Answer
	if err := json.Unmarshal(answer, &ours); err != nil {
		return err
	}
	if len(ours.Data.Items) != len(ids) {
		return fmt.Errorf("%d items for %d ids", len(ours.Data.Items), len(ids))
	}
	for _, item := range ours.Data.Items {
		if c, ok := in.catalog.View.Lookup(0, item.ID); !ok || len(item.Regions) != c.Rows().Len() {
			return fmt.Errorf("%s has %d regions instead of %d", item.ID, len(item.Regions), c.Rows().Len())
		}
	}
	return nil
}

func encodeSection(in *encodeInput, results *harness.Results) report.Section {
	return report.Section{
		Title: "Encoding bulk prices in the process: 1000 ids, 4 regions",
		Intro: fmt.Sprintf("%d cards, %d random sets of %d ids, answers of %d bytes. Our side does more than the others: it handles the whole request "+
			"(id, key, limits, the JSON of the body, headers, counts and times in the answer), while the others get parsed ids. The goal for allocations is "+
			"about the difference between a thousand ids and one, because a request for one id costs everything but the encoding. The fragments are our JSON of "+
			"all cards, next to each other in memory in the order of the cards. Items come from the cache for %d of the sets, asked for in turn.", in.catalog.View.Len(), len(in.ids), bulkIDs, len(in.answers[0]), again),
		Goals: []report.Goal{
			{What: "p50 of encoding/json / ours, every card encoded", Limit: 11, Stretch: 16, Unit: "x", Figure: results.Ratio(harness.P50, encodeStructs, encodeOurs)},
			{What: "p50 of encoding/json / ours, from the cache", Limit: 11, Stretch: 16, Unit: "x", Figure: results.Ratio(harness.P50, encodeStructs, encodeAgain)},
			{What: "p50 of ours, every card encoded / the fragments' memcpy", AtMost: true, Limit: 2.6, Stretch: 2, Unit: "x", Figure: results.Ratio(harness.P50, encodeOurs, encodeFragments)},
			{What: "p50 of ours, from the cache / the fragments' memcpy", AtMost: true, Limit: 1.5, Stretch: 1.2, Unit: "x", Figure: results.Ratio(harness.P50, encodeAgain, encodeFragments)},
			{What: "allocations for 1000 ids minus those for one", AtMost: true, Limit: 5, Figure: results.Difference(harness.Allocs, encodeOurs, encodeOneID)},
		},
		Tried: "Two changes helped: price texts that all answers share, and cards that are fetched before they are used. These gained 3 % or nothing: kept texts of the other fields of a row, ids " +
			"compared before their case is folded, aligned groups of kept prices, and choices without a branch. Encoding a card takes about eleven reads in different places of memory, one after " +
			"the other (hash, record, id, title, rows, products); copying its fragment takes one. Parameters, look-ups and fetching ahead are a third of the request, and alone take as long as " +
			"1.7 copies. Only items from the cache are faster.",
		Tables: []report.Table{report.Compare("", results, encodeOurs, harness.P50, harness.P99, harness.Allocs)},
	}
}

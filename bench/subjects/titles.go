package subjects

import (
	"fmt"

	"gamedex/internal/search"
	"gamedex/internal/snapshot"
)

// titleIndex is the product's index of titles, without the rest of a snapshot. It
// is not safe for concurrent use.
type titleIndex struct {
	index *search.Index
	bytes int
	hits  []search.Hit
	found []int
}

// newTitleIndex builds an index of documents and opens its bytes as a node does.
func newTitleIndex(docs []search.Doc) (*titleIndex, error) {
	x, err := buildTitleIndex(docs)
	if err != nil {
		return nil, fmt.Errorf("build index of %d titles: %w", len(docs), err)
	}
	return x, nil
}

func buildTitleIndex(docs []search.Doc) (*titleIndex, error) {
	const kind, format = "search", 1
	b := search.NewBuilder()
	for _, d := range docs {
		b.Add(d)
	}
	w := snapshot.NewWriter(kind, format)
	if err := b.AddTo(w); err != nil {
		return nil, err
	}
	blob, err := w.Bytes()
	if err != nil {
		return nil, err
	}
	f, err := snapshot.Open(blob, kind, snapshot.Versions{Oldest: format, Newest: format})
	if err != nil {
		return nil, err
	}
	x, err := search.Open(f)
	return &titleIndex{index: x, bytes: len(blob)}, err
}

// find returns the numbers of the best documents, found and ranked as the API does.
// The next call overwrites the result.
func (x *titleIndex) find(text string, limit int) []int {
	x.hits, _, _ = x.index.Find(search.Query{Text: text, Limit: limit, Typos: true, Scripts: true, Drop: true}, x.hits[:0])
	x.found = x.found[:0]
	for _, h := range x.hits {
		x.found = append(x.found, int(h.Doc))
	}
	return x.found
}

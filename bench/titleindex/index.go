package titleindex

import (
	"fmt"

	"gamedex/internal/search"
	"gamedex/internal/snapshot"
)

const kind, format = "search", 1

// Index finds documents by their titles. It is for one goroutine.
type Index struct {
	index *search.Index
	bytes int
	hits  []search.Hit
	found []int
}

// Build makes an index of documents and opens it as a node does, from its
// bytes, with every check.
func Build(docs []search.Doc) (*Index, error) {
	x, err := build(docs)
	if err != nil {
		return nil, fmt.Errorf("build index of %d titles: %w", len(docs), err)
	}
	return x, nil
}

func build(docs []search.Doc) (*Index, error) {
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
	f, err := snapshot.Open(blob, kind, format)
	if err != nil {
		return nil, err
	}
	x, err := search.Open(f)
	return &Index{index: x, bytes: len(blob)}, err
}

// Size is what the index takes, in bytes.
func (x *Index) Size() int { return x.bytes }

// Find gives the numbers of the best documents as the service ranks them, typos
// and beginnings included. The result is used again by the next call.
func (x *Index) Find(text string, limit int) []int {
	x.hits, _ = x.index.Find(search.Query{Text: text, Limit: limit, Typos: true}, x.hits[:0])
	x.found = x.found[:0]
	for _, h := range x.hits {
		x.found = append(x.found, int(h.Doc))
	}
	return x.found
}

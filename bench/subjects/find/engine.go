package find

import (
	"context"
	"time"

	"gamedex/bench/lab"
	"gamedex/internal/search"
	"gamedex/internal/snapshot"
)

const limit = 10

// engine is one way to find titles.
type engine interface {
	// ask answers a question: how long it took, and the numbers of the best
	// ten documents.
	ask(kind, text string) (time.Duration, []int, error)
	// size is what the index takes, in bytes; building how long it took.
	size() int64
	building() time.Duration
	close() error
}

// starts are the engines in the order of the report.
var starts = []struct {
	name  string
	start func(context.Context, *lab.Lab, []title) (engine, error)
}{
	{ours, startOurs}, {"bleve", startBleve}, {"Xapian", startXapian}, {"SQLite FTS5", startFTS5},
}

const ours = "ours"

// measured is what every engine has.
type measured struct {
	bytes int64
	built time.Duration
}

func (m measured) size() int64             { return m.bytes }
func (m measured) building() time.Duration { return m.built }

// inProcess is the service's index.
type inProcess struct {
	measured
	index *search.Index
	hits  []search.Hit
	found []int
}

func startOurs(_ context.Context, _ *lab.Lab, docs []title) (engine, error) {
	began := time.Now()
	b := search.NewBuilder()
	for _, d := range docs {
		doc := search.Doc{Names: []search.Name{{Text: d.own}}}
		if d.russian != "" {
			doc.Names = append(doc.Names, search.Name{Text: d.russian, Shown: 1})
		}
		b.Add(doc)
	}
	w := snapshot.NewWriter("search", 1)
	if err := b.AddTo(w); err != nil {
		return nil, err
	}
	blob, err := w.Bytes()
	if err != nil {
		return nil, err
	}
	f, err := snapshot.Open(blob, "search", 1)
	if err != nil {
		return nil, err
	}
	x, err := search.Open(f)
	return &inProcess{measured: measured{int64(len(blob)), time.Since(began)}, index: x}, err
}

func (e *inProcess) ask(_, text string) (time.Duration, []int, error) {
	began := time.Now()
	e.hits, _ = e.index.Find(search.Query{Text: text, Limit: limit, Typos: true}, e.hits[:0])
	took := time.Since(began)
	e.found = e.found[:0]
	for _, h := range e.hits {
		e.found = append(e.found, int(h.Doc))
	}
	return took, e.found, nil
}

func (e *inProcess) close() error { return nil }

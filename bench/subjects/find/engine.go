package find

import (
	"context"
	"time"

	"gamedex/bench/lab"
	"gamedex/bench/titleindex"
	"gamedex/internal/search"
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
	index *titleindex.Index
}

func startOurs(_ context.Context, _ *lab.Lab, docs []title) (engine, error) {
	began := time.Now()
	list := make([]search.Doc, len(docs))
	for i, d := range docs {
		list[i].Names = []search.Name{{Text: d.own}}
		if d.russian != "" {
			list[i].Names = append(list[i].Names, search.Name{Text: d.russian, Shown: 1})
		}
	}
	x, err := titleindex.Build(list)
	if err != nil {
		return nil, err
	}
	return &inProcess{measured{int64(x.Size()), time.Since(began)}, x}, nil
}

func (e *inProcess) ask(_, text string) (time.Duration, []int, error) {
	began := time.Now()
	found := e.index.Find(text, limit)
	return time.Since(began), found, nil
}

func (e *inProcess) close() error { return nil }

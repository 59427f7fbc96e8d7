package find

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2/search/query"

	"gamedex/bench/bleveindex"
	"gamedex/bench/lab"
)

// onBleve is bleve on disk, mapped into memory.
type onBleve struct {
	measured
	index *bleveindex.Index
}

func startBleve(_ context.Context, l *lab.Lab, docs []title) (engine, error) {
	dir := filepath.Join(l.Dir, fmt.Sprintf("bleve-%d", len(docs)))
	texts := make([][]string, len(docs))
	for i, d := range docs {
		texts[i] = []string{d.own}
		if d.russian != "" {
			texts[i] = append(texts[i], d.russian)
		}
	}
	began := time.Now()
	x, err := bleveindex.Build(dir, texts)
	if err != nil {
		return nil, err
	}
	built := time.Since(began)
	bytes, err := folderSize(dir)
	return &onBleve{measured{bytes, built}, x}, err
}

func (e *onBleve) ask(kind, text string) (time.Duration, []int, error) {
	began := time.Now()
	found, _, err := e.index.Search(context.Background(), bleveQuery(kind, text), limit)
	return time.Since(began), found, err
}

// bleveQuery makes the cheapest query that a kind needs.
func bleveQuery(kind, text string) query.Query {
	of := bleveindex.Word
	switch kind {
	case "prefix":
		of = bleveindex.Beginning
	case "typo":
		of = bleveindex.Mistyped
	}
	var words []query.Query
	for word := range strings.FieldsSeq(text) {
		words = append(words, of(word))
	}
	return bleveindex.All(words...)
}

func (e *onBleve) close() error { return e.index.Close() }

func folderSize(dir string) (int64, error) {
	var bytes int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}

package find

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"

	"gamedex/bench/lab"
)

// bleveIndex is bleve on disk, as it keeps itself: one segment after the merge
// of its batches, mapped into memory.
type bleveIndex struct {
	measured
	index bleve.Index
	found []int
}

// BleveMapping splits titles into lower-case words and keeps nothing but what
// finds them: no stored text, no positions, no stop words.
func BleveMapping() (mapping.IndexMapping, error) {
	m := bleve.NewIndexMapping()
	err := m.AddCustomAnalyzer("title", map[string]any{
		"type": custom.Name, "tokenizer": unicode.Name, "token_filters": []string{lowercase.Name},
	})
	if err != nil {
		return nil, err
	}
	field := bleve.NewTextFieldMapping()
	field.Analyzer, field.Store, field.IncludeTermVectors, field.IncludeInAll, field.DocValues = "title", false, false, false, false
	doc := bleve.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt("t", field)
	m.DefaultMapping, m.DefaultAnalyzer = doc, "title"
	return m, nil
}

func startBleve(_ context.Context, l *lab.Lab, docs []title) (engine, error) {
	dir := filepath.Join(l.Dir, fmt.Sprintf("bleve-%d", len(docs)))
	began := time.Now()
	x, err := buildBleve(dir, docs)
	if err != nil {
		return nil, err
	}
	built := time.Since(began)
	bytes, err := folderSize(dir)
	return &bleveIndex{measured: measured{bytes, built}, index: x}, err
}

// buildBleve uses the offline builder, which gives the fewest segments.
func buildBleve(dir string, docs []title) (bleve.Index, error) {
	m, err := BleveMapping()
	if err != nil {
		return nil, err
	}
	b, err := bleve.NewBuilder(dir, m, map[string]any{"batchSize": 10_000, "mergeMax": 100})
	if err != nil {
		return nil, err
	}
	for i, d := range docs {
		texts := []string{d.own}
		if d.russian != "" {
			texts = append(texts, d.russian)
		}
		if err := b.Index(strconv.Itoa(i), map[string]any{"t": texts}); err != nil {
			return nil, err
		}
	}
	if err := b.Close(); err != nil {
		return nil, err
	}
	return bleve.OpenUsing(dir, map[string]any{"read_only": true})
}

func (e *bleveIndex) ask(kind, text string) (time.Duration, []int, error) {
	began := time.Now()
	res, err := e.index.Search(bleve.NewSearchRequestOptions(bleveQuery(kind, text), limit, 0, false))
	took := time.Since(began)
	if err != nil {
		return 0, nil, err
	}
	e.found = e.found[:0]
	for _, hit := range res.Hits {
		n, err := strconv.Atoi(hit.ID)
		if err != nil {
			return 0, nil, err
		}
		e.found = append(e.found, n)
	}
	return took, e.found, nil
}

func bleveQuery(kind, text string) query.Query {
	var all []query.Query
	for word := range strings.FieldsSeq(text) {
		switch kind {
		case "prefix":
			q := bleve.NewPrefixQuery(word)
			q.SetField("t")
			all = append(all, q)
		case "typo":
			q := bleve.NewFuzzyQuery(word)
			q.SetField("t")
			q.SetFuzziness(1)
			all = append(all, q)
		default:
			q := bleve.NewTermQuery(word)
			q.SetField("t")
			all = append(all, q)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return bleve.NewConjunctionQuery(all...)
}

func (e *bleveIndex) close() error { return e.index.Close() }

func folderSize(dir string) (int64, error) {
	var bytes int64
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Stat(path)
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}

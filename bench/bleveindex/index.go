package bleveindex

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
)

// Index finds documents by their titles. It may be used from any goroutine.
type Index struct{ index bleve.Index }

const field = "title"

// mapped indexes the words of titles and their frequencies, and nothing else:
// no stored values, no columns for sorting, no positions, no catch-all field.
func mapped() (*mapping.IndexMappingImpl, error) {
	m := bleve.NewIndexMapping()
	err := m.AddCustomAnalyzer("words", map[string]any{
		"type": custom.Name, "tokenizer": unicode.Name, "token_filters": []string{lowercase.Name},
	})
	if err != nil {
		return nil, err
	}
	text := bleve.NewTextFieldMapping()
	text.Analyzer, text.Store, text.DocValues, text.IncludeTermVectors, text.IncludeInAll = "words", false, false, false, false
	document := bleve.NewDocumentStaticMapping()
	document.AddFieldMappingsAt(field, text)
	m.DefaultMapping, m.DefaultAnalyzer = document, "words"
	m.StoreDynamic, m.DocValuesDynamic = false, false
	return m, nil
}

// Build makes an index of documents, each with its titles, in a new folder, and
// opens it.
func Build(dir string, documents [][]string) (*Index, error) {
	m, err := mapped()
	if err != nil {
		return nil, fmt.Errorf("build bleve index: %w", err)
	}
	b, err := bleve.NewBuilder(dir, m, map[string]any{"batchSize": 10_000})
	if err != nil {
		return nil, fmt.Errorf("build bleve index: %w", err)
	}
	for i, titles := range documents {
		if err := b.Index(strconv.Itoa(i), map[string]any{field: titles}); err != nil {
			return nil, fmt.Errorf("build bleve index: document %d: %w", i, err)
		}
	}
	if err := b.Close(); err != nil {
		return nil, fmt.Errorf("build bleve index: %w", err)
	}
	return Open(dir)
}

// Open opens a built index for reading.
func Open(dir string) (*Index, error) {
	x, err := bleve.OpenUsing(dir, map[string]any{"read_only": true})
	if err != nil {
		return nil, fmt.Errorf("open bleve index: %w", err)
	}
	return &Index{x}, nil
}

// Close closes the index.
func (x *Index) Close() error { return x.index.Close() }

// Find gives the numbers of the best documents that have all words of the text,
// and how many there are. With prefix the last word may be the beginning of one;
// those that have it whole come first.
func (x *Index) Find(ctx context.Context, text string, prefix bool, limit int) (best []int, total int, err error) {
	var all []query.Query
	words := strings.Fields(strings.ToLower(text))
	for i, w := range words {
		if prefix && i == len(words)-1 {
			all = append(all, bleve.NewDisjunctionQuery(term(w, 4), Beginning(w)))
			break
		}
		all = append(all, Word(w))
	}
	return x.Search(ctx, All(all...), limit)
}

// All finds titles that every query finds.
func All(queries ...query.Query) query.Query {
	if len(queries) == 1 {
		return queries[0]
	}
	return bleve.NewConjunctionQuery(queries...)
}

// Word finds titles that have a word, in lower case.
func Word(word string) query.Query { return term(word, 1) }

func term(word string, boost float64) query.Query {
	q := bleve.NewTermQuery(word)
	q.SetField(field)
	q.SetBoost(boost)
	return q
}

// Beginning finds titles that have a word that begins so.
func Beginning(word string) query.Query {
	q := bleve.NewPrefixQuery(word)
	q.SetField(field)
	return q
}

// Mistyped finds titles that have the word, or one that is an edit away.
func Mistyped(word string) query.Query {
	q := bleve.NewFuzzyQuery(word)
	q.SetField(field)
	q.SetFuzziness(1)
	return q
}

// Search runs any query of bleve's.
func (x *Index) Search(ctx context.Context, q query.Query, limit int) (best []int, total int, err error) {
	found, err := x.index.SearchInContext(ctx, bleve.NewSearchRequestOptions(q, limit, 0, false))
	if err != nil {
		return nil, 0, fmt.Errorf("bleve search: %w", err)
	}
	for _, hit := range found.Hits {
		n, err := strconv.Atoi(hit.ID)
		if err != nil {
			return nil, 0, fmt.Errorf("bleve search: document %q: %w", hit.ID, err)
		}
		best = append(best, n)
	}
	return best, int(found.Total), nil
}

package alternatives

import (
	"context"
	"fmt"
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

	"gamedex/bench/harness"
	"gamedex/bench/sample"
)

// Bleve is bleve set up for speed: a single segment, built offline and mapped into
// memory, and nothing stored of a title but its words. Document names are numbers.
// It is safe for concurrent use.
type Bleve struct{ index bleve.Index }

const titleField = "title"

// titleMapping indexes words and their frequencies: no stored values, no columns
// for sorting, no positions, no catch-all field.
func titleMapping() (*mapping.IndexMappingImpl, error) {
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
	document.AddFieldMappingsAt(titleField, text)
	m.DefaultMapping, m.DefaultAnalyzer = document, "words"
	m.StoreDynamic, m.DocValuesDynamic = false, false
	return m, nil
}

// BuildBleve builds an index of documents, each with its titles, in a new folder.
func BuildBleve(dir string, documents [][]string) (*Bleve, error) {
	x, err := buildBleve(dir, documents)
	if err != nil {
		return nil, fmt.Errorf("build bleve index: %w", err)
	}
	return &Bleve{x}, nil
}

func buildBleve(dir string, documents [][]string) (bleve.Index, error) {
	m, err := titleMapping()
	if err != nil {
		return nil, err
	}
	b, err := bleve.NewBuilder(dir, m, map[string]any{"batchSize": 10_000})
	if err != nil {
		return nil, err
	}
	for i, titles := range documents {
		if err := b.Index(strconv.Itoa(i), map[string]any{titleField: titles}); err != nil {
			return nil, fmt.Errorf("document %d: %w", i, err)
		}
	}
	if err := b.Close(); err != nil {
		return nil, err
	}
	return bleve.OpenUsing(dir, map[string]any{"read_only": true})
}

// Close closes the index.
func (x *Bleve) Close() error { return x.index.Close() }

// Find returns the numbers of the best documents that have all words of the text,
// and the number of all such documents. The last word may be a prefix; documents
// that have it as a word come first.
func (x *Bleve) Find(ctx context.Context, text string, limit int) (best []int, total int, err error) {
	var all []query.Query
	words := strings.Fields(strings.ToLower(text))
	for _, w := range words[:max(0, len(words)-1)] {
		all = append(all, wordQuery(w))
	}
	if n := len(words); n > 0 {
		whole := bleve.NewTermQuery(words[n-1])
		whole.SetField(titleField)
		whole.SetBoost(4)
		all = append(all, bleve.NewDisjunctionQuery(whole, prefixQuery(words[n-1])))
	}
	return x.search(ctx, allOf(all), limit)
}

// allOf returns a query for titles that match every query.
func allOf(queries []query.Query) query.Query {
	if len(queries) == 1 {
		return queries[0]
	}
	return bleve.NewConjunctionQuery(queries...)
}

// wordQuery matches titles with a word, in lower case.
func wordQuery(word string) query.Query {
	q := bleve.NewTermQuery(word)
	q.SetField(titleField)
	return q
}

// prefixQuery matches titles with a word that has a prefix.
func prefixQuery(prefix string) query.Query {
	q := bleve.NewPrefixQuery(prefix)
	q.SetField(titleField)
	return q
}

// typoQuery matches titles with a word that is at most one edit away.
func typoQuery(word string) query.Query {
	q := bleve.NewFuzzyQuery(word)
	q.SetField(titleField)
	q.SetFuzziness(1)
	return q
}

func (x *Bleve) search(ctx context.Context, q query.Query, limit int) (best []int, total int, err error) {
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

// StartBleve builds an index of titles.
func StartBleve(_ context.Context, r *harness.Run, docs []sample.Title) (*SearchEngine, error) {
	dir := filepath.Join(r.Dir, fmt.Sprintf("bleve-%d", len(docs)))
	names := make([][]string, len(docs))
	for i, d := range docs {
		names[i] = d.All()
	}
	began := time.Now()
	x, err := BuildBleve(dir, names)
	if err != nil {
		return nil, err
	}
	built := time.Since(began)
	bytes, err := folderSize(dir)
	return &SearchEngine{Bytes: bytes, Built: built, Close: x.Close, Search: func(kind sample.QueryKind, text string) (time.Duration, []int, error) {
		began := time.Now()
		found, _, err := x.search(context.Background(), kindQuery(kind, text), SearchLimit)
		return time.Since(began), found, err
	}}, err
}

// kindQuery returns the cheapest query for a kind.
func kindQuery(kind sample.QueryKind, text string) query.Query {
	newQuery := wordQuery
	switch kind {
	case sample.Prefix:
		newQuery = prefixQuery
	case sample.Typo:
		newQuery = typoQuery
	}
	var words []query.Query
	for word := range strings.FieldsSeq(text) {
		words = append(words, newQuery(word))
	}
	return allOf(words)
}

package judged

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/single"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"

	"gamedex/bench/lab"
	"gamedex/internal/search/quality"
)

// The fields: words of all names, and each name as one term.
const wordsField, wholeField = "words", "whole"

// startBleve makes the index in memory: 3,000 titles need no disk.
func startBleve(_ context.Context, _ *lab.Lab, set *quality.Set) (quality.Find, error) {
	m, err := bleveMapping()
	if err != nil {
		return nil, err
	}
	x, err := bleve.NewMemOnly(m)
	if err != nil {
		return nil, err
	}
	batch := x.NewBatch()
	for i, c := range set.Cards {
		doc := map[string]any{wordsField: c.Names, wholeField: c.Names, "place": i}
		if err := batch.Index(strconv.Itoa(i), doc); err != nil {
			return nil, err
		}
	}
	if err := x.Batch(batch); err != nil {
		return nil, err
	}
	b := &bleveSearch{index: x, words: m.AnalyzerNamed("words"), whole: m.AnalyzerNamed("whole")}
	return b.find, nil
}

// bleveMapping folds case and accents; there are no stop words, as titles are
// full of them.
func bleveMapping() (mapping.IndexMapping, error) {
	m := bleve.NewIndexMapping()
	for name, tokenizer := range map[string]string{"words": unicode.Name, "whole": single.Name} {
		err := m.AddCustomAnalyzer(name, map[string]any{
			"type": custom.Name, "tokenizer": tokenizer, "char_filters": []string{asciifolding.Name}, "token_filters": []string{lowercase.Name},
		})
		if err != nil {
			return nil, err
		}
	}
	doc := bleve.NewDocumentStaticMapping()
	for _, name := range []string{wordsField, wholeField} {
		f := bleve.NewTextFieldMapping()
		f.Analyzer, f.Store, f.IncludeInAll = name, false, false
		doc.AddFieldMappingsAt(name, f)
	}
	place := bleve.NewNumericFieldMapping()
	place.Store, place.IncludeInAll = false, false
	doc.AddFieldMappingsAt("place", place)
	m.DefaultMapping = doc
	return m, nil
}

type bleveSearch struct {
	index        bleve.Index
	words, whole analysis.Analyzer
}

// find wants every word, as it is, as a beginning or mistyped; only if that
// finds nothing, any of them. What is closer to what is written counts more,
// and a title that is the query or begins with it counts most.
func (b *bleveSearch) find(text string, limit int) []int {
	var words []query.Query
	tokens := b.words.Analyze([]byte(text))
	for i, t := range tokens {
		words = append(words, word(string(t.Term), i == len(tokens)-1))
	}
	if len(words) == 0 {
		return nil
	}
	found := b.ask(b.withWhole(bleve.NewConjunctionQuery(words...), text), limit)
	if len(found) == 0 {
		found = b.ask(b.withWhole(bleve.NewDisjunctionQuery(words...), text), limit)
	}
	return found
}

// word takes a typo from four letters on and two from eight.
func word(text string, last bool) query.Query {
	exact := bleve.NewTermQuery(text)
	exact.SetField(wordsField)
	exact.SetBoost(8)
	any := []query.Query{exact}
	if last {
		prefix := bleve.NewPrefixQuery(text)
		prefix.SetField(wordsField)
		prefix.SetBoost(3)
		any = append(any, prefix)
	}
	if n := utf8.RuneCountInString(text); n >= 4 {
		fuzzy := bleve.NewFuzzyQuery(text)
		fuzzy.SetField(wordsField)
		fuzzy.SetFuzziness(1)
		if n >= 8 {
			fuzzy.SetFuzziness(2)
		}
		any = append(any, fuzzy)
	}
	return bleve.NewDisjunctionQuery(any...)
}

// withWhole adds what is worth more without being needed.
func (b *bleveSearch) withWhole(must query.Query, text string) query.Query {
	whole := ""
	for _, t := range b.whole.Analyze([]byte(strings.TrimSpace(text))) {
		whole = string(t.Term)
	}
	exact := bleve.NewTermQuery(whole)
	exact.SetField(wholeField)
	exact.SetBoost(20)
	begins := bleve.NewPrefixQuery(whole)
	begins.SetField(wholeField)
	begins.SetBoost(5)
	q := bleve.NewBooleanQuery()
	q.AddMust(must)
	q.AddShould(exact, begins)
	return q
}

func (b *bleveSearch) ask(q query.Query, limit int) []int {
	request := bleve.NewSearchRequestOptions(q, limit, 0, false)
	request.SortBy([]string{"-_score", "place"})
	res, err := b.index.Search(request)
	if err != nil {
		panic(err) // the index is in memory and the queries are ours
	}
	var cards []int
	for _, hit := range res.Hits {
		n, err := strconv.Atoi(hit.ID)
		if err != nil {
			panic(err)
		}
		cards = append(cards, n)
	}
	return cards
}

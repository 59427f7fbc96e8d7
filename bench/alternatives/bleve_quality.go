package alternatives

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

	"gamedex/bench/harness"
	"gamedex/internal/testing/searchquality"
)

// The fields: the words of all names, and each name as a single term.
const wordsField, wholeField = "words", "whole"

// BleveQuality returns the search of bleve set up for good results, in memory: every
// word as it is, as a prefix or with typos, and if that finds nothing, any of them.
// The closer a word is to the query, the more it counts; a title that equals the
// query or starts with it counts most.
func BleveQuality(_ context.Context, _ *harness.Run, set *searchquality.Set) (searchquality.Find, error) {
	m, err := qualityMapping()
	if err != nil {
		return nil, err
	}
	x, err := bleve.NewMemOnly(m)
	if err != nil {
		return nil, err
	}
	batch := x.NewBatch()
	for i, c := range set.Cards {
		doc := map[string]any{wordsField: c.Names, wholeField: c.Names, "rank": i}
		if err := batch.Index(strconv.Itoa(i), doc); err != nil {
			return nil, err
		}
	}
	if err := x.Batch(batch); err != nil {
		return nil, err
	}
	b := &bleveQuality{index: x, words: m.AnalyzerNamed("words"), whole: m.AnalyzerNamed("whole")}
	return b.find, nil
}

// qualityMapping folds case and accents. It has no stop words, because titles are
// full of them.
func qualityMapping() (mapping.IndexMapping, error) {
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
	rank := bleve.NewNumericFieldMapping()
	rank.Store, rank.IncludeInAll = false, false
	doc.AddFieldMappingsAt("rank", rank)
	m.DefaultMapping = doc
	return m, nil
}

type bleveQuality struct {
	index        bleve.Index
	words, whole analysis.Analyzer
}

func (b *bleveQuality) find(text string, limit int) []int {
	var words []query.Query
	tokens := b.words.Analyze([]byte(text))
	for i, t := range tokens {
		words = append(words, anyForm(string(t.Term), i == len(tokens)-1))
	}
	if len(words) == 0 {
		return nil
	}
	found := b.run(b.preferWhole(bleve.NewConjunctionQuery(words...), text), limit)
	if len(found) == 0 {
		found = b.run(b.preferWhole(bleve.NewDisjunctionQuery(words...), text), limit)
	}
	return found
}

// anyForm returns a query for a word, with one typo from four letters on and two
// from eight. The last word may be a prefix.
func anyForm(text string, last bool) query.Query {
	exact := bleve.NewTermQuery(text)
	exact.SetField(wordsField)
	exact.SetBoost(8)
	forms := []query.Query{exact}
	if last {
		prefix := bleve.NewPrefixQuery(text)
		prefix.SetField(wordsField)
		prefix.SetBoost(3)
		forms = append(forms, prefix)
	}
	if n := utf8.RuneCountInString(text); n >= 4 {
		fuzzy := bleve.NewFuzzyQuery(text)
		fuzzy.SetField(wordsField)
		fuzzy.SetFuzziness(1)
		if n >= 8 {
			fuzzy.SetFuzziness(2)
		}
		forms = append(forms, fuzzy)
	}
	return bleve.NewDisjunctionQuery(forms...)
}

// preferWhole ranks titles that equal the text or start with it higher.
func (b *bleveQuality) preferWhole(must query.Query, text string) query.Query {
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

func (b *bleveQuality) run(q query.Query, limit int) []int {
	request := bleve.NewSearchRequestOptions(q, limit, 0, false)
	request.SortBy([]string{"-_score", "rank"})
	res, err := b.index.Search(request)
	if err != nil {
		panic(err) // the index is in memory, and the queries are our own
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

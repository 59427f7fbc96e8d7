package sample

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
)

// Title is a document of a search: the name of a card, and perhaps a Russian one.
type Title struct{ Name, Russian string }

// All returns the names that are not empty.
func (t Title) All() []string {
	if t.Russian == "" {
		return []string{t.Name}
	}
	return []string{t.Name, t.Russian}
}

// Titles returns the titles of a sample in the order in which the product
// ranks equally good ones: by type and popularity.
func (s *Sample) Titles() []Title {
	products := slices.Clone(s.Products)
	slices.SortFunc(products, func(a, b Product) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(b.Popularity, a.Popularity), strings.Compare(a.Title, b.Title))
	})
	docs := make([]Title, len(products))
	for i := range products {
		docs[i] = Title{Name: products[i].Title, Russian: products[i].Russian}
	}
	return docs
}

// QueryKind is a kind of query.
type QueryKind string

// The kinds of queries.
const (
	Exact    QueryKind = "exact"     // a whole title
	TwoWords QueryKind = "two words" // of one title
	Prefix   QueryKind = "prefix"    // of a word
	Typo     QueryKind = "typo"      // a word with one edit
	Russian  QueryKind = "Russian"   // a word of a Russian title
)

// QueryKinds has all kinds of queries.
var QueryKinds = []QueryKind{Exact, TwoWords, Prefix, Typo, Russian}

// Query is a search with its expected result. IsHit reports whether the documents
// found, best first, are as expected.
type Query struct {
	Text  string
	IsHit func(docs []Title, found []int) bool
}

// QueriesPerKind is how many queries [DrawQueries] returns.
const QueriesPerKind = 400

// DrawQueries makes queries of a kind from random titles.
func DrawQueries(kind QueryKind, docs []Title, rng *rand.Rand) []Query {
	var list []Query
	for len(list) < QueriesPerKind {
		t := docs[rng.IntN(len(docs))]
		words := strings.Fields(strings.ToLower(t.Name))
		word := words[rng.IntN(len(words))]
		switch {
		case kind == Exact:
			list = append(list, Query{strings.ToLower(t.Name), firstIs(t.Name)})
		case kind == TwoWords && len(words) > 1:
			a, b := words[0], words[len(words)-1]
			list = append(list, Query{a + " " + b, anyHas(a, b)})
		case kind == Prefix:
			prefix := word[:min(len(word), 2+rng.IntN(4))]
			list = append(list, Query{prefix, anyHasPrefix(prefix)})
		case kind == Typo && len(word) >= 6:
			list = append(list, Query{mistype(word, rng), anyHas(word)})
		case kind == Russian && t.Russian != "":
			word := strings.ToLower(strings.Fields(t.Russian)[0])
			list = append(list, Query{word, anyHas(word)})
		}
	}
	return list
}

// firstIs expects a title first.
func firstIs(want string) func([]Title, []int) bool {
	return func(docs []Title, found []int) bool {
		return len(found) > 0 && docs[found[0]].Name == want
	}
}

// anyHas expects a title with all words.
func anyHas(words ...string) func([]Title, []int) bool {
	return anyOf(func(has []string) bool {
		for _, w := range words {
			if !slices.Contains(has, w) {
				return false
			}
		}
		return true
	})
}

// anyHasPrefix expects a title that has a word with the prefix.
func anyHasPrefix(prefix string) func([]Title, []int) bool {
	return anyOf(func(has []string) bool {
		return slices.ContainsFunc(has, func(w string) bool { return strings.HasPrefix(w, prefix) })
	})
}

func anyOf(ok func(words []string) bool) func([]Title, []int) bool {
	return func(docs []Title, found []int) bool {
		return slices.ContainsFunc(found, func(n int) bool {
			return ok(strings.Fields(strings.ToLower(docs[n].Name))) || ok(strings.Fields(strings.ToLower(docs[n].Russian)))
		})
	}
}

// mistype makes one edit: it replaces, drops or adds a letter, or swaps two. The
// word needs two different letters.
func mistype(word string, rng *rand.Rand) string {
	for {
		r := []rune(word)
		at, letter := rng.IntN(len(r)-1), rune('a'+rng.IntN(26))
		switch rng.IntN(4) {
		case 0:
			r[at] = letter
		case 1:
			r = slices.Delete(r, at, at+1)
		case 2:
			r[at], r[at+1] = r[at+1], r[at]
		default:
			r = slices.Insert(r, at, letter)
		}
		if string(r) != word { // the same letter again is no edit
			return string(r)
		}
	}
}

package subjects

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"gamedex/bench/alternatives"
	"gamedex/bench/sample"
)

// titlesByRank returns the titles of a sample in the order in which the product
// ranks equally good ones: by type and popularity.
func titlesByRank(s *sample.Sample) []alternatives.Title {
	products := slices.Clone(s.Products)
	slices.SortFunc(products, func(a, b sample.Product) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(b.Popularity, a.Popularity), strings.Compare(a.Title, b.Title))
	})
	docs := make([]alternatives.Title, len(products))
	for i := range products {
		docs[i] = alternatives.Title{Name: products[i].Title, Russian: products[i].Russian}
	}
	return docs
}

// query is a search with its expected result.
type query struct {
	text  string
	isHit func(docs []alternatives.Title, found []int) bool
}

var queryKinds = []alternatives.QueryKind{
	alternatives.Exact, alternatives.TwoWords, alternatives.Prefix, alternatives.Typo, alternatives.Russian,
}

const queriesPerKind = 400

// drawQueries makes queries of a kind from random titles.
func drawQueries(kind alternatives.QueryKind, docs []alternatives.Title, rng *rand.Rand) []query {
	var list []query
	for len(list) < queriesPerKind {
		t := docs[rng.IntN(len(docs))]
		words := strings.Fields(strings.ToLower(t.Name))
		word := words[rng.IntN(len(words))]
		switch {
		case kind == alternatives.Exact:
			list = append(list, query{strings.ToLower(t.Name), firstIs(t.Name)})
		case kind == alternatives.TwoWords && len(words) > 1:
			a, b := words[0], words[len(words)-1]
			list = append(list, query{a + " " + b, anyHas(a, b)})
		case kind == alternatives.Prefix:
			prefix := word[:min(len(word), 2+rng.IntN(4))]
			list = append(list, query{prefix, anyHasPrefix(prefix)})
		case kind == alternatives.Typo && len(word) >= 6:
			list = append(list, query{mistype(word, rng), anyHas(word)})
		case kind == alternatives.Russian && t.Russian != "":
			word := strings.ToLower(strings.Fields(t.Russian)[0])
			list = append(list, query{word, anyHas(word)})
		}
	}
	return list
}

// firstIs expects a title first.
func firstIs(want string) func([]alternatives.Title, []int) bool {
	return func(docs []alternatives.Title, found []int) bool {
		return len(found) > 0 && docs[found[0]].Name == want
	}
}

// anyHas expects a title with all words.
func anyHas(words ...string) func([]alternatives.Title, []int) bool {
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
func anyHasPrefix(prefix string) func([]alternatives.Title, []int) bool {
	return anyOf(func(has []string) bool {
		return slices.ContainsFunc(has, func(w string) bool { return strings.HasPrefix(w, prefix) })
	})
}

func anyOf(ok func(words []string) bool) func([]alternatives.Title, []int) bool {
	return func(docs []alternatives.Title, found []int) bool {
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

package find

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"gamedex/bench/sample"
)

// title is a document: what the card is called, and perhaps in Russian too.
type title struct{ own, russian string }

// titles are those of a sample's games in the order in which equally good ones
// are shown: by popularity.
func titles(s *sample.Sample) []title {
	products := slices.Clone(s.Products)
	slices.SortFunc(products, func(a, b sample.Product) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(b.Popularity, a.Popularity), strings.Compare(a.Title, b.Title))
	})
	docs := make([]title, len(products))
	for i := range products {
		docs[i] = title{products[i].Title, products[i].Russian}
	}
	return docs
}

// question is a query and how its answer is judged.
type question struct {
	text string
	// hit says whether an answer, best first, holds what was looked for.
	hit func(docs []title, found []int) bool
}

// kinds are drawn and reported in this order.
var kinds = []string{"exact", "two words", "prefix", "typo", "Russian"}

const perKind = 400

// draw makes the questions of a kind from random titles.
func draw(kind string, docs []title, rng *rand.Rand) []question {
	var list []question
	for len(list) < perKind {
		t := docs[rng.IntN(len(docs))]
		words := strings.Fields(strings.ToLower(t.own))
		long := words[rng.IntN(len(words))]
		switch {
		case kind == "exact":
			list = append(list, question{strings.ToLower(t.own), firstIs(t.own)})
		case kind == "two words" && len(words) > 1:
			a, b := words[0], words[len(words)-1]
			list = append(list, question{a + " " + b, tenHave(a, b)})
		case kind == "prefix":
			beginning := long[:min(len(long), 2+rng.IntN(4))]
			list = append(list, question{beginning, tenBegin(beginning)})
		case kind == "typo" && len(long) >= 6:
			list = append(list, question{mistype(long, rng), tenHave(long)})
		case kind == "Russian" && t.russian != "":
			word := strings.ToLower(strings.Fields(t.russian)[0])
			list = append(list, question{word, tenHave(word)})
		}
	}
	return list
}

func firstIs(want string) func([]title, []int) bool {
	return func(docs []title, found []int) bool { return len(found) > 0 && docs[found[0]].own == want }
}

// tenHave wants a title among the ten that has all of the words.
func tenHave(words ...string) func([]title, []int) bool {
	return anyOf(func(has []string) bool {
		for _, w := range words {
			if !slices.Contains(has, w) {
				return false
			}
		}
		return true
	})
}

func tenBegin(beginning string) func([]title, []int) bool {
	return anyOf(func(has []string) bool {
		return slices.ContainsFunc(has, func(w string) bool { return strings.HasPrefix(w, beginning) })
	})
}

func anyOf(ok func(words []string) bool) func([]title, []int) bool {
	return func(docs []title, found []int) bool {
		return slices.ContainsFunc(found, func(n int) bool {
			return ok(strings.Fields(strings.ToLower(docs[n].own))) || ok(strings.Fields(strings.ToLower(docs[n].russian)))
		})
	}
}

// mistype makes one edit: a letter replaced, dropped, added, or two neighbours
// swapped. The word has two letters that differ.
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

package search_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gamedex/internal/search"
)

// catalog makes n documents like those of two stores: a few thousand frequent
// words, many invented ones, numerals, and a Russian title on every seventh.
func catalog(n int) []search.Doc {
	rng := rand.New(rand.NewPCG(1, 2))
	frequent := invent(rng, 2500, "bcdfghklmnprstvw", "aeiou")
	rare := invent(rng, 20000, "bcdfghklmnprstvw", "aeiou")
	russian := invent(rng, 6000, "бвгдзклмнпрст", "аеиоу")
	docs := make([]search.Doc, n)
	for i := range docs {
		words := []string{rare[rng.IntN(len(rare))]}
		for range rng.IntN(4) {
			// Squared, so that some words are in thousands of titles.
			words = append(words, frequent[int(rng.Float64()*rng.Float64()*float64(len(frequent)))])
		}
		rng.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
		if rng.IntN(8) == 0 {
			words = append(words, []string{"II", "III", "2", "3", "2024"}[rng.IntN(5)])
		}
		docs[i] = search.Doc{Group: uint8(i % 2), Names: []search.Name{{Text: strings.Join(words, " ")}}}
		if i%7 == 0 {
			text := russian[rng.IntN(len(russian))] + " " + russian[rng.IntN(len(russian))]
			docs[i].Names = append(docs[i].Names, search.Name{Text: text, Shown: 1})
		}
	}
	return docs
}

func invent(rng *rand.Rand, n int, consonants, vowels string) []string {
	c, v := []rune(consonants), []rune(vowels)
	words := make([]string, n)
	for i := range words {
		var b strings.Builder
		for range 2 + rng.IntN(3) {
			b.WriteRune(c[rng.IntN(len(c))])
			b.WriteRune(v[rng.IntN(len(v))])
		}
		words[i] = b.String() + string(c[rng.IntN(len(c))])
	}
	return words
}

// asked makes 400 queries of a kind from titles of docs.
func asked(docs []search.Doc, kind string) []search.Query {
	rng := rand.New(rand.NewPCG(3, 4))
	var queries []search.Query
	for len(queries) < 400 {
		names := docs[rng.IntN(len(docs))].Names
		words := strings.Fields(names[0].Text)
		text := ""
		switch first := words[0]; {
		case kind == "exact":
			text = names[0].Text
		case kind == "two words" && len(words) > 1:
			text = words[0] + " " + words[len(words)-1]
		case kind == "prefix":
			text = first[:min(len(first), 2+rng.IntN(3))]
		case kind == "two letters":
			text = first[:2]
		case kind == "typo" && len(first) >= 6:
			at := 1 + rng.IntN(len(first)-2)
			text = first[:at] + first[at+1:]
		case kind == "nonsense" && len(first) >= 6:
			text = "qzxj" + first
		case kind == "Russian" && len(names) > 1:
			text = strings.Fields(names[1].Text)[0]
		}
		if text != "" {
			queries = append(queries, search.Query{Text: text, Limit: 10, Typos: true})
		}
	}
	return queries
}

func BenchmarkFind(b *testing.B) {
	docs := catalog(100_000)
	x := index(b, docs)
	for _, kind := range []string{"exact", "two words", "prefix", "two letters", "typo", "nonsense", "Russian"} {
		queries := asked(docs, kind)
		b.Run(kind, func(b *testing.B) {
			b.ReportAllocs()
			var hits []search.Hit
			for i := 0; b.Loop(); i++ {
				hits, _ = x.Find(queries[i%len(queries)], hits[:0])
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	docs := catalog(100_000)
	for b.Loop() {
		b.ReportMetric(float64(len(written(b, docs))), "bytes")
	}
}

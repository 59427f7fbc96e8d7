package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/search"
)

// catalog returns n documents like those of two stores: a few thousand frequent
// words, many invented ones, numerals, some words in every tenth title, and a
// Russian title on every seventh document.
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
		if at := rng.IntN(20); at < len(common) {
			words = append(words, strings.Fields(common[at])...)
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

// common are words in so many titles that they alone are not selective.
var common = []string{"the", "of", "of the", "and", "a", "edition", "pack", "the deluxe edition"}

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

// kinds of queries that are measured; "two typos" and "nonsense" go through
// every stage of a search.
var kinds = []string{
	"exact", "two words", "frequent words", "prefix", "two letters", "typo", "Russian", "two typos", "nonsense",
	"joined", "split", "no name",
}

// makeQueries makes 400 queries of a kind from titles of docs.
func makeQueries(docs []search.Doc, kind string) []search.Query {
	rng := rand.New(rand.NewPCG(3, 4))
	var queries []search.Query
	for len(queries) < 400 {
		names := docs[rng.IntN(len(docs))].Names
		if text := makeQuery(rng, kind, names); text != "" {
			queries = append(queries, search.Query{Text: text, Limit: 10, Typos: true})
		}
	}
	return queries
}

// makeQuery makes one query of a kind from the names of a document, or "" if it
// cannot.
func makeQuery(rng *rand.Rand, kind string, names []search.Name) string {
	words := strings.Fields(names[0].Text)
	first := words[0]
	switch {
	case kind == "exact":
		return names[0].Text
	case kind == "two words" && len(words) > 1:
		return words[0] + " " + words[len(words)-1]
	case kind == "frequent words":
		return common[rng.IntN(len(common))] + " " + first[:1+rng.IntN(2)%len(first)]
	case kind == "prefix":
		return first[:min(len(first), 2+rng.IntN(4))]
	case kind == "two letters":
		return first[:min(len(first), 2)]
	case kind == "typo" && len(first) >= 6:
		return mistake(rng, first)
	case kind == "two typos" && len(first) >= 8:
		return mistake(rng, mistake(rng, first))
	case kind == "nonsense" && len(first) >= 6:
		return "qzxj" + first
	case kind == "joined" && len(words) > 1:
		return words[0] + words[1]
	case kind == "split" && len(first) >= 6:
		return first[:3] + " " + first[3:]
	case kind == "no name" && len(words) > 2:
		return "the deluxe " + words[2] + " " + first + " of"
	case kind == "Russian" && len(names) > 1:
		return strings.Fields(names[1].Text)[0]
	}
	return ""
}

// mistake leaves out, doubles, changes or swaps a character of a word, not the
// last one.
func mistake(rng *rand.Rand, word string) string {
	at := rng.IntN(len(word) - 1)
	switch before, after := word[:at], word[at+1:]; rng.IntN(4) {
	case 0:
		return before + after
	case 1:
		return before + word[at:at+1] + word[at:at+1] + after
	case 2:
		return before + "w" + after
	default:
		return before + after[:1] + word[at:at+1] + after[1:]
	}
}

// BenchmarkFind reports, besides the mean, the median and the 99th percentile
// of the 400 queries, in microseconds. A query counts with its median time, so
// that other work on the machine hardly affects it.
func BenchmarkFind(b *testing.B) {
	for _, n := range []int{100_000, 400_000} {
		docs := catalog(n)
		x := index(b, docs)
		for _, kind := range kinds {
			queries := makeQueries(docs, kind)
			b.Run(fmt.Sprintf("%dk/%s", n/1000, kind), func(b *testing.B) { measure(b, x, queries) })
		}
	}
}

func measure(b *testing.B, x *search.Index, queries []search.Query) {
	b.ReportAllocs()
	var hits []search.Hit
	times := make([][]time.Duration, len(queries))
	for i := 0; b.Loop(); i++ {
		at := i % len(queries)
		start := time.Now()
		hits, _, _ = x.Find(queries[at], hits[:0])
		times[at] = append(times[at], time.Since(start))
	}
	var medians []time.Duration
	for _, t := range times {
		if slices.Sort(t); len(t) > 0 {
			medians = append(medians, t[len(t)/2])
		}
	}
	slices.Sort(medians)
	b.ReportMetric(float64(medians[len(medians)/2].Nanoseconds())/1000, "p50-µs")
	b.ReportMetric(float64(medians[len(medians)*99/100].Nanoseconds())/1000, "p99-µs")
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{100_000, 400_000} {
		docs := catalog(n)
		b.Run(fmt.Sprintf("%dk", n/1000), func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(float64(len(written(b, docs)))/float64(n), "bytes/doc")
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	data := written(b, catalog(100_000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := search.Open(reopened(b, data)); err != nil {
			b.Fatal(err)
		}
	}
}

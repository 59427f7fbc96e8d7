package terms

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/snapshot"
)

// TestPostings compares with lists: the sets of a span and its other names are all names of
// its terms.
func TestPostings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const names, count = 200, 6
		lists := make([][]uint32, count)
		for i := range lists {
			lists[i] = slices.Compact(slices.Sorted(slices.Values(rapid.SliceOf(rapid.Uint32Max(names-1)).Draw(t, "names"))))
		}
		f := written(t, func(w *snapshot.Writer) { AddPostings(w, "at", "names", lists) })
		p, err := OpenPostings(f, "at", "names", count, names)
		must(t, err)
		least := rapid.IntRange(1, 8).Draw(t, "least")
		p.FindFrequent(least, names)
		lo := rapid.Uint32Max(count).Draw(t, "lo")
		span := Span{lo, rapid.Uint32Range(lo, count).Draw(t, "hi")}
		others := NewNameSet(names)
		sets := p.AppendSets(nil, span, &others)
		postings, rest, frequent := 0, 0, 0
		has := func(set *NameSet, list []uint32) {
			for _, name := range list {
				if !set.Has(name) {
					t.Fatalf("no name %d", name)
				}
			}
		}
		for term, list := range lists {
			switch postings += len(list); {
			case !span.Has(uint32(term)):
				postings -= len(list)
			case len(list) < least:
				rest += len(list)
				has(&others, list)
			default:
				has(sets[frequent], list)
				frequent++
			}
		}
		if got := p.Of(span).Len(); got != postings || len(sets) != frequent || p.CountOthers(span) != rest {
			t.Fatalf("%d postings, %d sets, %d others; want %d, %d, %d", got, len(sets), p.CountOthers(span), postings, frequent, rest)
		}
	})
}
